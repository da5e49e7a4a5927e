"""Programs for the processes of examples/programs.toml; see docs/programs.md."""

from __future__ import annotations

from tailback import Node

REQUEST, REPLY = 1, 2


async def ring(node: Node) -> None:
    """Pass a token of 100 bytes round all nodes, ten times."""
    right = (node.number + 1) % node.nodes
    for _ in range(10):
        if node.number == 0:
            node.send(right, "100 B")
        message = await node.receive()
        message.release()
        if node.number != 0:
            await node.compute("2 us")
            await node.send(right, "100 B")


async def servers(node: Node) -> None:
    """Let node 0 answer 20 requests of each other node, the oldest first."""
    if node.number == 0:
        for _ in range(20 * (node.nodes - 1)):
            request = await node.receive(type=REQUEST)
            request.release()
            await node.compute("5 us")
            node.send(request.source, "512 B", type=REPLY)
        return
    for _ in range(20):
        await node.compute("100 us")
        await node.send(0, "16 B", type=REQUEST)
        reply = node.receive(0, REPLY, buffer="512 B")
        # Work begins with the first bytes; the rest arrives meanwhile.
        await reply.bytes(16)
        await node.compute("3 us")
        await reply


async def total(node: Node) -> int:
    """Add up a number of each node at node 0, along the bits of their numbers; tell all."""
    number, bit = node.number, 1
    while bit < node.nodes:
        if node.number & bit:
            await node.send(node.number - bit, "8 B", type=bit, content=number)
            break
        if node.number + bit < node.nodes:
            message = await node.receive(type=bit, buffer="8 B")
            number += message.content
        bit *= 2
    if node.number == 0:
        await node.broadcast("8 B", content=number)
    else:
        number = (await node.receive(0, type=0, buffer="8 B")).content
    return number
