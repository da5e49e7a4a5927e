// What encoding.py wrote: compressed JSON, and arrays in compressed chunks.

const KEPT_CHUNKS = 200;


async function inflated(base64) {
  const bytes = Uint8Array.from(atob(base64.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function inflatedJson(element) {
  return JSON.parse(new TextDecoder().decode(await inflated(element.textContent)));
}

const chunkElements = document.querySelectorAll("script.chunk");
const chunks = new Map();

/** Numbers of a chunk; its four planes of bytes are put together again. */
function chunk(number) {
  if (!chunks.has(number)) {
    if (chunks.size >= KEPT_CHUNKS) chunks.delete(chunks.keys().next().value);
    chunks.set(number, inflated(chunkElements[number].textContent).then((planes) => {
      const count = planes.length / 4;
      const bytes = new Uint8Array(planes.length);
      for (let plane = 0; plane < 4; plane++) {
        for (let i = 0; i < count; i++) bytes[4 * i + plane] = planes[plane * count + i];
      }
      return new Float32Array(bytes.buffer);
    }));
  }
  return chunks.get(number);
}

async function array([number, start, count]) {
  return (await chunk(number)).subarray(start, start + count);
}

async function cells([values, at, rows, columns]) {
  const [numbers, places] = await Promise.all([array(values), array(at)]);
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) => {
      const place = places[row * columns + column];
      return place < 0 || Number.isNaN(numbers[place]) ? null : numbers[place];
    }));
}
