//! Memory of large machines in large pages.
//!
//! A hop on a machine of many nodes reads and changes records anywhere in hundreds of megabytes. In pages of 4 kB
//! most of these accesses miss the processor's table of pages as well as its cache. Linux has pages of 2 MB for
//! whoever asks, which the allocator of the system does not do. All other memory comes as it always does.

#![allow(unsafe_code, reason = "an allocator is told of memory by its address")]

use std::alloc::{GlobalAlloc, Layout, System};

/// The allocator of the system, with large pages for large blocks.
pub struct LargePages;

/// Blocks from here on are asked for in large pages: of smaller ones too little lies within whole pages.
const LARGE: usize = 8 << 20;

/// Asks for large pages, if a block is large.
#[inline]
fn ask(block: *mut u8, size: usize) {
    if size >= LARGE && !block.is_null() {
        advise(block, size);
    }
}

#[cfg(target_os = "linux")]
#[cold]
fn advise(block: *mut u8, size: usize) {
    const PAGE: usize = 4096;
    let ahead = block.align_offset(PAGE);
    // SAFETY: the pages lie within the block, which is ours, and advice changes nothing that is read from them.
    // Where there are no large pages, the answer says so, and all is as it was.
    unsafe {
        libc::madvise(block.add(ahead).cast(), (size - ahead) & !(PAGE - 1), libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
fn advise(_block: *mut u8, _size: usize) {}

// SAFETY: every call is passed on to the allocator of the system as it is.
unsafe impl GlobalAlloc for LargePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as our caller promises.
        let block = unsafe { System.alloc(layout) };
        ask(block, layout.size());
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as our caller promises.
        let block = unsafe { System.alloc_zeroed(layout) };
        ask(block, layout.size());
        block
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as our caller promises.
        let block = unsafe { System.realloc(block, layout, size) };
        ask(block, size);
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as our caller promises.
        unsafe { System.dealloc(block, layout) };
    }
}
