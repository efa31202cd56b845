"""The sentences for what the runner found: who did what, where, and what is wrong.

One method for each kind that `csrc/host_cuda` reports. Used by `kernel_launch`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from course_utils.kernel_check import Finding


def number(i: Sequence[int]) -> str:
    """An index of a thread or block: `5`, or `(5, 1, 0)` if it has more dimensions."""
    return str(i[0]) if not any(i[1:]) else f"({', '.join(map(str, i))})"


def _opening(text: str) -> int:
    """Where the bracket opens that the text's last character closes."""
    depth = 0
    for i in range(len(text) - 1, -1, -1):
        depth += {"]": 1, "[": -1}.get(text[i], 0)
        if depth <= 0:
            return i
    return 0


class Reader:
    """Turns the runner's findings into sentences.

    Args:
        names, codes: of the arguments; `sizes` their elements' bytes, `lengths` their
            elements.
        place: gives the line for a finding's `where`, 0 if unknown.
    """

    def __init__(
        self,
        names: Sequence[str],
        sizes: Sequence[int],
        lengths: Sequence[int],
        shared: Sequence[dict],
        place: Callable[[int], int],
        text: Sequence[str] = (),
        first_line: int = 1,
    ) -> None:
        self.names, self.sizes, self.lengths = names, sizes, lengths
        self.shared = {s["name"]: s["bytes"] for s in shared}
        self.place, self.text, self.first_line = place, text, first_line

    def read(self, raw: dict) -> Finding:
        """One finding of the runner."""
        kind, sentence = getattr(self, f"_{raw['kind']}")(raw)
        if raw["count"] > 1 and kind not in ("barrier", "crash", "endless", "limit"):
            sentence += f" ({raw['count']:,} times in this launch)"
        array, index = self._element(raw)
        whose = raw["lane"] >= 0
        lines = [self.place(raw[k]) for k in ("where", "other_where")]
        return Finding(
            kind,
            sentence,
            array,
            index,
            tuple(raw["thread"]) if whose else None,
            tuple(raw["block"]) if whose else None,
            lines[0],
            tuple(n for n in lines if n),
            self._length(raw) if raw["kind"] == "bounds" else None,
            raw["count"],
        )

    def _element(self, raw: dict) -> tuple[str, int | None]:
        if raw["kind"] == "index":
            return self._indexed(raw), raw["offset"]
        if raw["shared"]:
            return raw["shared"], raw["offset"] // max(raw["size"], 1)
        if 0 <= raw["array"] < len(self.names):
            return self.names[raw["array"]], raw["offset"] // self.sizes[raw["array"]]
        return "", None

    def _what(self, raw: dict) -> str:
        """`y[17]`, or `x[16..19]` for a vector."""
        array, index = self._element(raw)
        if index is None:
            return "memory"
        size = raw["size"] if raw["shared"] else self.sizes[raw["array"]]
        many = max(raw["size"] // size, 1)
        return (
            f"{array}[{index}]"
            if many == 1
            else f"{array}[{index}..{index + many - 1}]"
        )

    def _who(self, raw: dict, other: bool = False) -> str:
        key = "other_" if other else ""
        return f"thread {number(raw[key + 'thread'])}"

    def _in(self, where: int) -> str:
        line = self.place(where)
        return f" in line {line}" if line else ""

    def _bounds(self, raw: dict) -> tuple[str, str]:
        does = "writes" if raw["write"] else "reads"
        length, has = self._length(raw), self._element(raw)[0]
        hint = ""
        if raw["shared"]:
            has = f"the shared array {has}"
            if length == 0:
                hint = "; a launch gives its bytes as NAME[grid, block, bytes]"
        return "bounds", (
            f"{self._who(raw)} of block {number(raw['block'])} {does} "
            f"{self._what(raw)}{self._in(raw['where'])}, but {has} has "
            f"{length:,} element{'' if length == 1 else 's'}{hint}"
        )

    def _length(self, raw: dict) -> int:
        if raw["shared"]:
            return self.shared.get(raw["shared"], 0) // max(raw["size"], 1)
        return self.lengths[raw["array"]]

    def _indexed(self, raw: dict) -> str:
        line = self.place(raw["where"]) - self.first_line
        if not 0 <= line < len(self.text):
            return "an array"
        # The column is that of the bracket that closes the index.
        text = self.text[line][: int(raw["mask"])]
        name = text[: _opening(text)].rstrip()
        while name.endswith("]"):
            name = name[: _opening(name)].rstrip()
        word = ""
        while name and (name[-1].isalnum() or name[-1] == "_"):
            word, name = name[-1] + word, name[:-1]
        return word or "an array"

    def _index(self, raw: dict) -> tuple[str, str]:
        type_ = raw["text"].strip("'")
        return "bounds", (
            f"{self._who(raw)} of block {number(raw['block'])} uses index "
            f"{raw['offset']}{self._in(raw['where'])} for {self._indexed(raw)}, "
            f"an array of type {type_}"
        )

    def _race_shared(self, raw: dict) -> tuple[str, str]:
        same_warp = raw["lane"] // 32 == raw["other_lane"] // 32
        words = "__syncwarp() or __syncthreads()" if same_warp else "__syncthreads()"
        return "race", self._race(raw, f"put {words} between the two")

    def _race_global(self, raw: dict) -> tuple[str, str]:
        if raw["block"] != raw["other_block"]:
            return "race", self._race(
                raw, "nothing orders two blocks: use an atomic, or another launch"
            )
        return "race", self._race(
            raw, "put __syncthreads() between the two, or use an atomic"
        )

    def _race(self, raw: dict, mend: str) -> str:
        mine = "writes" if raw["write"] else "reads"
        theirs = "writes" if raw["other_write"] else "reads"
        one, two = self.place(raw["where"]), self.place(raw["other_where"])
        blocks = f" of block {number(raw['block'])}"
        other = self._who(raw, True)
        if raw["block"] != raw["other_block"]:
            other += f" of block {number(raw['other_block'])}"
        space = "shared " if raw["shared"] else ""
        also = mine == theirs and one == two
        both = f"and {other} both {mine.rstrip('s')}" if mine == theirs else ""
        if both:
            places = f" in line {one}" if also and one else f"{self._lines(one, two)}"
            said = f"{self._who(raw)}{blocks} {both} {space}{self._what(raw)}{places}"
        else:
            said = (
                f"{self._who(raw)}{blocks} {mine} {space}{self._what(raw)}"
                f"{self._in(raw['where'])} and {other} {theirs} it"
                f"{self._in(raw['other_where'])}"
            )
        return f"{said}, in no order: {mend}"

    @staticmethod
    def _lines(one: int, two: int) -> str:
        return f" in lines {two} and {one}" if one and two else ""

    def _uninitialized(self, raw: dict) -> tuple[str, str]:
        return "uninitialized", (
            f"{self._who(raw)} of block {number(raw['block'])} reads shared "
            f"{self._what(raw)}{self._in(raw['where'])} before any thread of its block "
            "has written it"
        )

    def _misaligned(self, raw: dict) -> tuple[str, str]:
        does = "writes" if raw["write"] else "reads"
        at = self._what(raw) if raw["array"] >= 0 else "an address"
        return "misaligned", (
            f"{self._who(raw)} of block {number(raw['block'])} {does} "
            f"{raw['size']} bytes at once at {at}{self._in(raw['where'])}, whose "
            f"address is not a multiple of {raw['size']}"
        )

    def _barrier_exit(self, raw: dict) -> tuple[str, str]:
        return "barrier", (
            f"{raw['mask']} threads of block {number(raw['block'])} wait at the barrier"
            f"{self._in(raw['where'])}, which {self._who(raw, True)} never reaches: it "
            "had returned; every thread of the block must get there"
        )

    def _barrier_place(self, raw: dict) -> tuple[str, str]:
        return "barrier", (
            f"threads of block {number(raw['block'])} wait at different barriers: "
            f"{self._who(raw)}{self._in(raw['where'])}, {self._who(raw, True)}"
            f"{self._in(raw['other_where'])}; a barrier in a branch must be reached by "
            "all threads of the block"
        )

    def _warp_wait(self, raw: dict) -> tuple[str, str]:
        other = self._who(raw, True)
        if raw["other_lane"] < 0:
            why = "and nothing can go on"
        elif raw["more"] == "__syncthreads":
            why = f"but {other} waits at the barrier{self._in(raw['other_where'])}"
        else:
            why = (
                f"but {other} waits in {raw['more']}{self._in(raw['other_where'])} "
                "with another mask"
            )
        return "warp", (
            f"{self._who(raw)} of block {number(raw['block'])} waits in {raw['text']}"
            f"{self._in(raw['where'])} for the lanes of mask {raw['mask']:#010x}, "
            f"{why}: they never meet"
        )

    def _warp_mixed(self, raw: dict) -> tuple[str, str]:
        return "warp", (
            f"{self._who(raw)} of block {number(raw['block'])} is in {raw['text']}"
            f"{self._in(raw['where'])} while other lanes of its mask are in another "
            "warp operation"
        )

    def _warp_mask(self, raw: dict) -> tuple[str, str]:
        return "warp", (
            f"{self._who(raw)} of block {number(raw['block'])} calls {raw['text']}"
            f"{self._in(raw['where'])} with mask {raw['mask']:#010x}, which does not "
            "name its own lane"
        )

    def _warp_undefined(self, raw: dict) -> tuple[str, str]:
        return "warp", (
            f"{self._who(raw)} of block {number(raw['block'])} gets the value of lane "
            f"{raw['other_lane']} in {raw['text']}{self._in(raw['where'])}, but that "
            "lane takes no part (it is not in the mask, has returned, or does not "
            "exist), so the value is undefined"
        )

    def _shared_limit(self, raw: dict) -> tuple[str, str]:
        return "limit", (
            f"the kernel declares {raw['mask']:,} bytes of static shared memory or "
            "more; a block may have 49,152"
        )

    def _assert(self, raw: dict) -> tuple[str, str]:
        return "assert", (
            f"the assertion `{raw['text']}`{self._in(raw['where'])} failed for "
            f"{self._who(raw)} of block {number(raw['block'])}"
        )

    def _trap(self, raw: dict) -> tuple[str, str]:
        return "assert", (
            f"{self._who(raw)} of block {number(raw['block'])} called {raw['text']}"
            f"{self._in(raw['where'])}, which ends the launch"
        )

    def _crash(self, raw: dict) -> tuple[str, str]:
        address = raw["offset"] & (2**64 - 1)
        what = "a null pointer" if address < 65536 else "memory that is in no array"
        return "crash", (
            f"{self._who(raw)} of block {number(raw['block'])} used {what}"
            f"{self._in(raw['where'])}"
        )

    def _far(self, raw: dict) -> tuple[str, str]:
        array, index = self._element(raw)
        return "bounds", (
            f"{self._who(raw)} of block {number(raw['block'])} uses {array}[{index}]"
            f"{self._in(raw['where'])}, but {array} has {self._length(raw):,} "
            "elements; did an int overflow?"
        )

    def _divide(self, raw: dict) -> tuple[str, str]:
        return "crash", (
            f"{self._who(raw)} of block {number(raw['block'])} divided an integer by "
            f"zero{self._in(raw['where'])}; a GPU goes on with a meaningless number"
        )

    def _abort(self, raw: dict) -> tuple[str, str]:
        return "crash", f"{self._who(raw)} of block {number(raw['block'])} aborted"

    def _stack(self, raw: dict) -> tuple[str, str]:
        return "crash", (
            f"{self._who(raw)} of block {number(raw['block'])} used more than 128 KiB "
            f"of stack{self._in(raw['where'])}: its local arrays are too large, or its "
            "recursion never ends"
        )

    def _endless(self, raw: dict) -> tuple[str, str]:
        who = "the kernel"
        if raw["lane"] >= 0:
            who = f"{self._who(raw)} of block {number(raw['block'])}"
        return "endless", (
            f"{who} was still running{self._in(raw['where'])} when the time limit was "
            "over; does a loop in it end?"
        )
