"""What a judge reports to: it runs the answer, compares, and words the fault.

Used by the contracts in `course_utils/exercises`, inside the isolated child.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from course_utils import compare, nursery

Why = tuple[Callable[..., bool], str]


class Wrong(Exception):
    """An answer is wrong: the sentence, and what shows it."""

    def __init__(
        self,
        sentence: str,
        *,
        case: str = "",
        call: str = "",
        got: str = "",
        want: str = "",
        trace: str = "",
    ) -> None:
        super().__init__(sentence)
        self.sentence, self.case, self.call = sentence, case, call
        self.got, self.want, self.trace = got, want, trace


class Trial:
    """What a judge reports to. Every method raises `Wrong` at the first fault."""

    def __init__(self) -> None:
        self.cases = 0
        self._case = ""
        self._torch = _torch_functions()

    @contextmanager
    def case(self, name: str) -> Iterator[None]:
        """Counts a case and names it, so that a crash in it can be placed."""
        self._begin(name)
        yield

    def call(
        self,
        answer: Callable,
        *args: Any,
        expect: Any,
        case: str,
        why: Sequence[Why] = (),
        rtol: float = 0.0,
        atol: float = 0.0,
        kwargs: dict[str, Any] | None = None,
        strict_strides: bool = False,
        what: str = "the result",
    ) -> Any:
        """Runs `answer(*args, **kwargs)` and compares with `expect`.

        Args:
            case: names the input, as in "NaN and infinities".
            why: pairs of a test and a sentence. Where the result differs, the first
                test that holds, called with `(got, want, *args)`, gives the sentence.
        Returns:
            What the answer returned.
        """
        shown = self._show_call(args, kwargs)
        before = [a.detach().clone() if _plain(a) else None for a in args]
        got = self.run(answer, *args, case=case, kwargs=kwargs)
        for i, (arg, was) in enumerate(zip(args, before, strict=True)):
            if was is not None and compare.difference(arg, was):
                raise Wrong(
                    f"it changes its input: argument {i} was {compare.show(was)} and "
                    f"is {compare.show(arg)} after the call",
                    case=case,
                    call=shown,
                )
        self._compare(got, expect, args, shown, why, rtol, atol, what, strict_strides)
        return got

    def run(
        self,
        answer: Callable,
        *args: Any,
        case: str | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Runs the answer; an exception in it becomes `Wrong`."""
        if case is not None:
            self._begin(case)
        shown = self._show_call(args, kwargs)
        try:
            got = answer(*args, **(kwargs or {}))
        except (Wrong, MemoryError, SystemExit):
            raise
        except RecursionError:
            raise Wrong(
                "it calls itself without end (RecursionError)",
                case=self._case,
                call=shown,
            ) from None
        except Exception as error:
            raise self._raised(error, shown) from error
        self._intact()
        return got

    def op(self, extension: Any, name: str) -> Callable:
        """The operator `name` of a compiled answer; `Wrong` if it registers none."""
        try:
            return getattr(extension, name)
        except AttributeError as error:
            raise Wrong(f"it defines no operator `{name}`: {error}") from error

    def refuses(
        self,
        answer: Callable,
        *args: Any,
        case: str,
        sentence: str,
        kinds: type[BaseException] | tuple[type[BaseException], ...] = Exception,
        kwargs: dict[str, Any] | None = None,
    ) -> BaseException:
        """Demands that the answer raises one of `kinds`; `sentence` if it does not."""
        self._begin(case)
        shown = self._show_call(args, kwargs)
        try:
            got = answer(*args, **(kwargs or {}))
        except kinds as error:
            self._intact()
            return error
        except Exception as error:
            raise self._raised(error, shown) from error
        raise Wrong(sentence, case=case, call=shown, got=compare.show(got))

    def equal(
        self,
        got: Any,
        expect: Any,
        *,
        what: str = "the result",
        why: Sequence[Why] = (),
        rtol: float = 0.0,
        atol: float = 0.0,
        case: str | None = None,
    ) -> None:
        """Compares two values; the tests in `why` are called with `(got, want)`."""
        if case is not None:
            self._begin(case)
        self._compare(got, expect, (), "", why, rtol, atol, what, False)

    def require(
        self, condition: bool, sentence: str, *, got: Any = None, expect: Any = None
    ) -> None:
        """Fails with the sentence unless the condition holds."""
        if not condition:
            self.fail(sentence, got=got, expect=expect)

    def fail(self, sentence: str, *, got: Any = None, expect: Any = None) -> None:
        """Fails with the sentence."""
        raise Wrong(
            sentence,
            case=self._case,
            got="" if got is None else compare.show(got),
            want="" if expect is None else compare.show(expect),
        )

    def _begin(self, case: str) -> None:
        self.cases += 1
        self._case = case
        nursery.announce(case)

    def _compare(
        self,
        got: Any,
        want: Any,
        args: tuple,
        shown: str,
        why: Sequence[Why],
        rtol: float,
        atol: float,
        what: str,
        strict_strides: bool,
    ) -> None:
        found = compare.difference(got, want, rtol, atol, what, strict_strides)
        if found is None:
            return
        sentence = found.sentence
        for test, words in why:
            if _holds(test, got, want, *args):
                sentence = words
                break
        raise Wrong(
            sentence,
            case=self._case,
            call=shown,
            got=found.got,
            want=found.want,
        )

    def _raised(self, error: Exception, shown: str) -> Wrong:
        lines = str(error).strip().splitlines()
        text = f"{type(error).__name__}: {lines[0][:300]}" if lines else repr(error)
        trace = "\n".join(_frames(error))
        return Wrong(f"it raised {text}", case=self._case, call=shown, trace=trace)

    def _intact(self) -> None:
        """Refuses an answer that has put something else in the place of torch's own."""
        for owner, names in self._torch.items():
            now = vars(owner)
            for name, function in names.items():
                if now.get(name) is not function and not self._by_torch(now.get(name)):
                    raise Wrong(
                        f"it replaces `{owner.__name__}.{name}`, which all other code "
                        "uses too; define a function of your own instead",
                        case=self._case,
                    )

    def _by_torch(self, function: Any) -> bool:
        """Importing torch._dynamo wraps `torch.manual_seed`: new, and torch's own."""
        module = getattr(function, "__module__", None) or ""
        known = any(
            function is f for names in self._torch.values() for f in names.values()
        )
        return module.split(".")[0] == "torch" and not known

    @staticmethod
    def _show_call(args: tuple, kwargs: dict[str, Any] | None) -> str:
        shown = [compare.show(a) for a in args]
        shown += [f"{k}={compare.show(v)}" for k, v in (kwargs or {}).items()]
        return ", ".join(shown)


def _holds(test: Callable[..., bool], *values: Any) -> bool:
    """A test in `why` may assume shapes that a wrong answer does not have."""
    try:
        return bool(test(*values))
    except Exception:
        return False


def _frames(error: Exception) -> list[str]:
    """Where it happened: lines of the reader's cells, and torch's functions below."""
    shown = []
    for frame in traceback.extract_tb(error.__traceback__)[1:]:
        if "course_utils" in frame.filename or "_dynamo" in frame.filename:
            continue
        if "ipykernel" in frame.filename or frame.filename.startswith("<"):
            shown.append(f"line {frame.lineno} of the cell, in {frame.name}")
        else:
            shown.append(f"{Path(frame.filename).name}, in {frame.name}")
    return shown[:4] + ["..."] + shown[-4:] if len(shown) > 9 else shown


def _plain(value: Any) -> bool:
    return (
        type(value) is torch.Tensor
        and value.layout is torch.strided
        and value.device.type != "meta"
    )


def _torch_functions() -> dict[Any, dict[str, Any]]:
    owners = (torch, torch.nn.functional, torch.Tensor)
    return {
        owner: {k: v for k, v in vars(owner).items() if callable(v)} for owner in owners
    }
