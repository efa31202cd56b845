"""The kernel lab's own promises: launches, refusals, templates, reports, traces."""

from __future__ import annotations

import re
import time

import cloudpickle
import pytest
import torch

from course_utils import kernel_compile, kernel_host, kernel_lab, kernel_source
from course_utils.answers import Unattempted, is_unattempted
from course_utils.kernel_lab import KernelError, KernelFault

SCALE = """
__global__ void scale(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
"""


@pytest.fixture(scope="module")
def scale():
    return kernel_lab.compile(SCALE, "scale")


def vectors(n=100):
    torch.manual_seed(0)
    return torch.randn(n), torch.zeros(n)


def test_a_launch_changes_tensors_in_place(scale):
    x, y = vectors()
    assert scale[2, 64](x, y, 2, 100) is None
    assert torch.equal(y, 2 * x)


def test_a_large_launch_runs_without_the_checker(scale, monkeypatch):
    modes = []
    run = kernel_host.run

    def spy(*args):
        modes.append(args[6])
        return run(*args)

    monkeypatch.setattr(kernel_host, "run", spy)
    x, y = vectors(200_000)
    scale[2, 64](x[:128], y[:128], 2.0, 128)
    scale[782, 256](x, y, 3.0, 200_000)
    scale[2, 64](x[:128], y[:128], 3.0, 128, checked=False)
    assert modes == [kernel_compile.CHECKED, kernel_compile.PLAIN, kernel_compile.PLAIN]
    assert torch.equal(y, 3 * x)


def test_a_view_of_a_tensor_is_its_own_array(scale):
    x, y = vectors()
    scale[1, 64](x[10:20], y[30:40], 2.0, 10)
    assert torch.equal(y[30:40], 2 * x[10:20])
    assert y.count_nonzero() == 10
    with pytest.raises(KernelFault, match=r"reads x\[10\].*x has 10 elements"):
        scale[1, 64](x[10:20], y, 2.0, 11)


def test_one_tensor_may_be_two_arguments(scale):
    x, _ = vectors()
    want = 2 * x
    scale[2, 64](x, x, 2.0, 100)
    assert torch.equal(x, want)


def test_overlapping_views_share_memory():
    text = """
    __global__ void move(const float* x, float* y) {
      float v = x[threadIdx.x];
      __syncthreads();
      y[threadIdx.x] = v;
    }"""
    x = torch.arange(10.0)
    kernel_lab.compile(text, "move")[1, 9](x[:9], x[1:])
    assert x.tolist() == [0, 0, 1, 2, 3, 4, 5, 6, 7, 8]


def test_none_is_a_null_pointer():
    text = """
    __global__ void fill(float* y, const float* maybe) {
      y[threadIdx.x] = maybe ? maybe[threadIdx.x] : 1.0f;
    }"""
    y = torch.zeros(8)
    kernel_lab.compile(text, "fill")[1, 8](y, None)
    assert y.sum() == 8


def test_empty_tensors_can_be_passed(scale):
    x, y = vectors(0)
    scale[1, 32](x, y, 2.0, 0)
    with pytest.raises(KernelFault, match="y has 0 elements"):
        scale[1, 32](x, y, 2.0, 1)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (lambda x, y: (x, y, 2.0), "takes 4 arguments, .*; got 3"),
        (lambda x, y: (x.double(), y, 2.0, 1), r"convert it with `\.to\(torch.float32"),
        (lambda x, y: (x, y[::2], 2.0, 1), r"y is not contiguous .*y\.contiguous\(\)"),
        (lambda x, y: (x, y, 2.0, 1.5), "expected an integer for `int n`, got 1.5"),
        (lambda x, y: (x, y, 2.0, 2**31), "2,147,483,648 does not fit `int n`"),
        (lambda x, y: (x, 3, 2.0, 1), r"expected a tensor for `float\* y`, got int 3"),
        (lambda x, y: (x, y, x, 1), "expected a number for `float a`.*item"),
        (lambda x, y: (x, y, "2", 1), "expected a number for `float a`, got str '2'"),
        (lambda x, y: (x.numpy(), y, 2.0, 1), "torch.from_numpy"),
        (lambda x, y: (x.to("meta"), y, 2.0, 1), "on the CPU or a CUDA GPU, got meta"),
        (lambda x, y: (x.to(torch.complex64), y, 2.0, 1), "no type of a kernel"),
        (lambda x, y: (x.to_sparse(), y, 2.0, 1), "dense tensor for x"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_in_words(scale, args, words):
    x, y = vectors()
    with pytest.raises(KernelError, match=words) as caught:
        scale[2, 64](*args(x, y))
    assert not isinstance(caught.value, KernelFault)
    assert y.count_nonzero() == 0


@pytest.mark.parametrize(
    ("where", "words"),
    [
        (4, r"expected `scale\[grid, block\]`"),
        ((1, 1025), "block's x is 1,025"),
        ((1, (32, 8, 8)), "32 x 8 x 8 has 2,048 threads"),
        ((1, (1, 1, 65)), "block's z is 65; a GPU allows at most 64"),
        (((1, 65_536), 1), "grid's y is 65,536"),
        ((2**31, 1), "grid's x"),
        ((0, 32), "launch of no threads"),
        ((1.5, 32), "expected the grid as an int"),
        ((1, (1, 2, 3, 4)), "up to three"),
        ((1, 1, 49_153), "49,152 bytes of dynamic shared memory"),
    ],
)
def test_a_launch_beyond_the_limits_is_refused_in_words(scale, where, words):
    with pytest.raises(KernelError, match=words):
        scale[where]


def test_a_kernel_needs_a_grid(scale):
    with pytest.raises(KernelError, match=r"write `scale\[blocks, threads\]"):
        scale(1)


def test_a_fault_leaves_the_tensors_as_they_were(scale):
    x, y = vectors()
    with pytest.raises(KernelFault, match=r"writes y\[100\] in line 4") as caught:
        scale[2, 64](x, y, 2.0, 128)
    assert y.count_nonzero() == 0
    assert {f.array for f in caught.value.report.findings} == {"x", "y"}
    assert caught.value._render_traceback_()[0].startswith("KernelFault: scale[2, 64]")


def test_a_strided_kernel_gets_memory_as_it_lies():
    text = """
    __global__ void rows(const float* x, float* y, int step_r, int step_c) {
      y[threadIdx.y * 3 + threadIdx.x] = x[threadIdx.y * step_r + threadIdx.x * step_c];
    }"""
    x, y = torch.randn(3, 4).t(), torch.zeros(4, 3)
    rows = kernel_lab.compile(text, "rows")
    rows[1, (3, 4)](kernel_lab.raw(x), y, *x.stride())
    assert torch.equal(y, x)
    with pytest.raises(KernelFault, match="x has 12 elements"):
        rows[1, (3, 4)](kernel_lab.raw(x), y, 4, 4)


def test_several_kernels_are_asked_for_by_name():
    text = SCALE + "__global__ void one(float* y) { y[threadIdx.x] = 1; }"
    both = kernel_lab.compile(text, "both")
    assert both.kernels == ("scale", "one")
    with pytest.raises(KernelError, match=r"say which one: `both\.scale\[...\]`"):
        both[1, 8]
    with pytest.raises(AttributeError, match="this module has scale, one"):
        both.two  # noqa: B018
    y = torch.zeros(8)
    both.one[1, 8](y)
    assert y.sum() == 8
    named = kernel_lab.compile(text, "one")
    assert named[1, 8].kernel.name == "one", "a kernel of the module's name is first"


TEMPLATE = """
template <typename T, int N = 2>
__global__ void times(const T* x, T* y) {
  y[threadIdx.x] = N * x[threadIdx.x];
}
"""


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int32])
def test_a_template_follows_the_tensors(dtype):
    x = torch.arange(8).to(dtype)
    y = torch.zeros_like(x)
    times = kernel_lab.compile(TEMPLATE, "times")
    times[1, 8](x, y)
    assert torch.equal(y, 2 * x)
    times.times.of(dtype, 5)[1, 8](x, y)
    assert torch.equal(y, 5 * x)


def test_a_template_that_does_not_follow_says_how_to_give_it():
    text = "template <int N> __global__ void k(float* y) { y[0] = N; }"
    k = kernel_lab.compile(text, "k")
    with pytest.raises(KernelError, match=r'write `k\.k\.of\("N"\)\[grid, block\]`'):
        k[1, 1](torch.zeros(1))


def test_a_type_that_only_the_compiler_knows_is_checked_by_it():
    text = """
    #if 1
    typedef double number;
    #else
    typedef float number;
    #endif
    struct Pair { int a, b; };
    __global__ void k(number* y) { *y = 1; }
    __global__ void s(Pair p) {}
    """
    m = kernel_lab.compile(text, "m")
    with pytest.raises(KernelError, match="points to torch.float64, but y is torch.f"):
        m.k[1, 1](torch.zeros(1))
    y = torch.zeros(1, dtype=torch.float64)
    m.k[1, 1](y)
    assert y.item() == 1
    with pytest.raises(KernelError, match="can't pass `Pair p`"):
        m.s[1, 1](1)


def test_a_compiler_error_names_the_line_of_the_cell():
    cell = "__global__ void k(float* y) {\n  y[0] = z;\n}\n"
    with pytest.raises(KernelError, match=r"k:3:.*error: .*.z. "):
        kernel_lab.cuda_magic("k", cell)
    try:
        kernel_lab.cuda_magic("k", cell)
    except KernelError as error:
        assert "/" not in str(error), "no path of this machine"


def test_an_error_in_an_unused_template_is_seen_when_the_cell_runs():
    with pytest.raises(KernelError, match="k:1:.*error"):
        kernel_lab.compile("template <class T> __global__ void k(T* y) { +; }", "k")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('asm("trap;");', "inline PTX"),
        ("nvcuda::wmma::fill_fragment(f, 0.0f);", "tensor cores"),
        ("cub::BlockReduce<float, 32> r;", "CUB"),
        ("y[0] = tex1D<float>(t, 0);", "textures"),
        ("cudaMalloc(&y, 4);", "memory calls in device code"),
        ("other<<<1, 1>>>(y);", "a launch from device code"),
        ("float* p = new float[4];", "a heap in device code"),
        ("curandState s;", "cuRAND"),
        ("auto g = cg::this_grid(); g.sync();", "a barrier of the whole grid"),
    ],
)
def test_what_the_host_lacks_is_refused_by_name(line, words, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(KernelError, match=words):
        kernel_lab.compile(f"__global__ void k(float* y) {{ {line} }}", "k")


def test_words_in_comments_and_strings_are_not_taken_for_code():
    text = """
    // asm, wmma, <<<1, 1>>> and __shared__ in a comment; it's "quoted"
    __global__ void k(float* y) {
      /* cub::Thing */ if (y[0] == 5) printf("asm <<< { %f\\n", y[0]);
      y[0] = 'a' == '{' ? 2 : 1;
    }"""
    y = torch.zeros(1)
    kernel_lab.compile(text, "k")[1, 1](y)
    assert y.item() == 1


def test_host_code_in_the_text_is_left_out():
    source = kernel_source.read(
        "#include <vector>\n#include <cublas_v2.h>\n"
        "static cublasHandle_t handle;\n"
        "std::vector<float> make(int n);\n"
        "struct Host { int x; };\n"
        "__device__ float twice(float v);\n"
        "int main() { k<<<1, 1>>>(nullptr); }\n"
        "namespace a {\n"
        "template <class T> void run(T* p) { k<<<1, 1>>>(p); }\n"
        "template void run<float>(float*);\n"
        "__global__ void k(float* y) { *y = twice(*y); }\n"
        "} // namespace a\n"
        "__device__ float twice(float v) { return 2 * v; }\n",
        "text",
    )
    kept = source.kept
    for gone in ("vector", "cublas", "main", "run", "<<<"):
        assert gone not in kept
    for there in ("struct Host", "float twice(float v);", "return 2 * v"):
        assert there in kept
    assert source.kernels["k"].qualified == "a::k"
    assert source.kernels["k"].line == 11
    assert kept.count("\n") == source.text.count("\n") + 1, "lines keep their numbers"


def test_a_text_without_kernel_is_refused():
    with pytest.raises(KernelError, match="expected at least one kernel"):
        kernel_lab.compile("int main() {}", "k")


def test_the_magic_tells_a_starter_from_an_answer():
    starter = kernel_lab.cuda_magic("relu", "__global__ void relu() {\n  ...\n}")
    assert isinstance(starter, Unattempted) and is_unattempted(starter)
    answer = kernel_lab.cuda_magic("scale", SCALE)
    assert not is_unattempted(answer)
    assert answer.source == SCALE
    with pytest.raises(KernelError, match="expected `%%cuda NAME`"):
        kernel_lab.cuda_magic("two names", SCALE)


def test_the_magic_binds_its_name_in_a_notebook():
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    shell.register_magic_function(kernel_lab.cuda_magic, "cell", "cuda")
    patched = pytest.MonkeyPatch()
    patched.setattr("IPython.get_ipython", lambda: shell)
    try:
        shell.run_cell("%%cuda one\n" + SCALE)
        assert isinstance(shell.user_ns["one"], kernel_lab.Module)
        shell.run_cell("%%cuda one\n__global__ void k() {\n  ...\n}")
        assert is_unattempted(shell.user_ns["one"])
        shell.run_cell("%%cuda one\n__global__ void k() {\n  z;\n}")
        failed = shell.user_ns["one"]
    finally:
        patched.undo()
    assert re.match(r"one: did not compile \(one:3:.*error: .*z", repr(failed))
    with pytest.raises(KernelError, match="one: did not compile"):
        failed[1, 1]


def test_a_module_travels_to_another_process(scale):
    again = cloudpickle.loads(cloudpickle.dumps(scale))
    x, y = vectors()
    again[2, 64](x, y, 2.0, 100)
    assert torch.equal(y, 2 * x)


def test_what_a_kernel_prints_is_printed(capsys):
    text = '__global__ void k() { printf("I am %d\\n", threadIdx.x); }'
    kernel_lab.compile(text, "k")[1, 3]()
    assert capsys.readouterr().out == "I am 0\nI am 1\nI am 2\n"


def test_an_endless_kernel_ends_with_its_line():
    text = "__global__ void k(int* y) {\n  while (true) {\n    y[0]++;\n  }\n}"
    k = kernel_lab.compile(text, "k")
    y = torch.zeros(1, dtype=torch.int32)
    for checked in (True, False):
        begin = time.monotonic()
        with pytest.raises(KernelFault, match="was still running.*does a loop"):
            k[1, 1](y, checked=checked, time_limit=0.3)
        assert time.monotonic() - begin < 3


@pytest.mark.parametrize("checked", [True, False])
def test_a_crash_becomes_a_sentence_with_and_without_checker(checked):
    text = "__global__ void k(float* y) { y[threadIdx.x] = 1; }"
    with pytest.raises(KernelFault, match="used a null pointer"):
        kernel_lab.compile(text, "k")[1, 1](None, checked=checked)


def test_a_report_shows_as_text_and_as_html(scale):
    x, y = vectors()
    good = kernel_lab.check(scale[2, 64], x, y, 2.0, 100)
    assert str(good) == "scale[2, 64]: no errors found"
    bad = kernel_lab.check(scale[2, 64], x, y, 2.0, 101)
    assert not bad.ok and "bounds: thread 36 of block 1 writes y[100]" in str(bad)
    assert "writes y[100]" in bad._repr_html_()


def test_a_sum_by_floating_atomics_is_a_note_and_no_error():
    text = (
        "__global__ void k(const float* x, float* y) { atomicAdd(y, x[threadIdx.x]); }"
    )
    report = kernel_lab.check(
        kernel_lab.compile(text, "k")[1, 512], torch.randn(512), torch.zeros(1)
    )
    assert report.ok
    assert "last digits of y" in report.notes[0]


ACCESS = """
__global__ void access(const float* x, float* y, int step, int start) {
  __shared__ float s[32 * 33];
  y[threadIdx.x] = x[threadIdx.x * step + start];
  s[threadIdx.x * step] = 1;
}
__global__ void vector(const float4* x, float4* y) {
  y[threadIdx.x] = x[threadIdx.x];
}
"""


@pytest.fixture(scope="module")
def access():
    return kernel_lab.compile(ACCESS, "access")


@pytest.mark.parametrize(
    ("step", "start", "sectors", "passes"),
    [(1, 0, 4, 1), (1, 1, 5, 1), (2, 0, 8, 2), (8, 0, 32, 8), (32, 0, 32, 32),
     (33, 0, 32, 1), (0, 0, 1, 1)],
)  # fmt: skip
def test_a_trace_counts_sectors_and_bank_conflicts(
    access, step, start, sectors, passes
):
    x, y = torch.randn(2000), torch.zeros(32)
    trace = kernel_lab.trace(access[1, 32], x, y, step, start)
    load, store, shared = trace.requests
    assert (load.array, load.kind, load.sectors) == ("x", "load", sectors)
    assert load.elements == tuple(k * step + start for k in range(32))
    assert (store.array, store.kind, store.sectors, store.lines) == ("y", "store", 4, 1)
    assert (shared.array, shared.passes, shared.least) == ("s", passes, 1)
    assert trace.bank_conflicts == passes - 1
    used = 1 if step == 0 else 32
    assert trace.efficiency("load") == pytest.approx(used * 4 / (sectors * 32))
    assert y.count_nonzero() == 0, "a trace leaves the arguments as they were"


def test_a_trace_sees_vector_accesses_as_one(access):
    x, y = torch.randn(256), torch.zeros(256)
    trace = kernel_lab.trace(access.vector[1, 64], x, y)
    loads = [r for r in trace.requests if r.kind == "load"]
    assert [(r.warp, r.bytes, r.sectors, r.lines) for r in loads] == [
        (0, 16, 16, 4),
        (1, 16, 16, 4),
    ]
    assert trace.efficiency("load") == trace.efficiency("store") == 1
    assert trace.table().column("access") == ["load 16 B", "store 16 B"]


def test_a_trace_knows_where_a_view_begins(access):
    x, y = torch.randn(2000), torch.zeros(32)
    trace = kernel_lab.trace(access[1, 32], x[1:], y, 1, 0)
    assert trace.requests[0].sectors == 5


def test_a_trace_that_grows_too_large_is_refused(access, monkeypatch):
    monkeypatch.setattr(kernel_host, "MOST_TRACED", 50)
    with pytest.raises(KernelError, match="more than 50 accesses; trace a smaller"):
        kernel_lab.trace(access[1, 32], torch.zeros(99), torch.zeros(32), 1, 0)


def test_pictures_say_what_they_show(access):
    pytest.importorskip("course_utils.plot")
    trace = kernel_lab.trace(access[1, 32], torch.randn(300), torch.zeros(32), 8, 0)
    title = {
        "x": trace.draw("x").axes[0].get_title("left"),
        "sectors": trace.draw_sectors("x").axes[0].get_title("left"),
        "banks": trace.draw_banks("s").axes[0].get_title("left"),
    }
    assert title["x"] == "x: 32 of 300 elements touched"
    assert "moves 32 sectors of 32 bytes and uses 12%" in title["sectors"]
    assert "takes 8 passes where 1 would do" in title["banks"]


def test_the_lab_is_fast_enough():
    """A quarter of what the lab promises, so that a busy machine passes too."""
    measured = kernel_lab.kernel_lab_bench()
    assert measured["edit_to_result"] < 1.5 * 4
    assert measured["threads_per_second"] > 1e6 / 4
    assert measured["checked_threads_per_second"] > 0.3e6 / 4


def test_a_constant_can_be_set():
    text = """
    namespace n {
    __constant__ float weights[2] = {1, 2};
    static __device__ int shift;
    __device__ int next(int i) { return i + 1; }
    __global__ void k(float* y) {
      y[threadIdx.x] = weights[threadIdx.x] + shift;
    }
    } // namespace n
    """
    k = kernel_lab.compile(text, "k")
    assert k.parsed.symbols == {"weights": "n::weights", "shift": "n::shift"}
    y = torch.zeros(2)
    k[1, 2](y)
    assert y.tolist() == [1, 2]
    k.set("weights", torch.tensor([5.0, 6.0]))
    k.set("shift", torch.tensor([10], dtype=torch.int32))
    k[1, 2](y)
    assert y.tolist() == [15, 16]
    with pytest.raises(KernelError, match="it has weights, shift"):
        k.set("bias", y)
    k.set("weights", torch.zeros(3))
    with pytest.raises(KernelError, match="weights has 8 bytes, got 12"):
        k[1, 2](y)


def test_shared_memory_is_understood_however_it_is_declared():
    text = """
    extern __shared__ float outside[];
    template <class T> __device__ T sum(T v) {
      __shared__ T part[64];
      part[threadIdx.x] = v;
      __syncthreads();
      T all = 0;
      for (int k = 0; k < 64; k++) all += part[k];
      return all;
    }
    __global__ void k(float* y) {
      alignas(16) __shared__ float a[4][4], b;
      volatile __shared__ int c[64];  // one for each thread
      static __shared__ unsigned long long d;
      __shared__
      float2 e[64];
      __shared__ float* pointer;
      int t = threadIdx.x;
      if (t < 16) a[t / 4][t % 4] = t;
      if (t == 0) b = 100, d = 1000, pointer = outside;
      c[t] = t;
      e[t] = make_float2(t, t);
      outside[t] = t;
      __syncthreads();
      y[t] = a[t / 4 % 4][t % 4] + b + d + c[63 - t] + e[t].y + pointer[t];
      y[t] += sum<float>(1) + sum<int>(2);
    }"""
    k, y, t = kernel_lab.compile(text, "k"), torch.zeros(64), torch.arange(64)
    for checked in (True, False):
        k[1, 64, 256](y, checked=checked)
        assert torch.equal(y, (t % 16 + 1100 + 63 - t + t + t + 64 + 128).float())
    assert kernel_lab.check(k[1, 64, 256], y).ok


def test_volatile_goes_in_step_and_is_still_called_a_race():
    """The last warp of reductions from before Volta."""
    text = """
    __device__ void last(volatile int* s, int t) {
      s[t] += s[t + 32];
      s[t] += s[t + 16];
      s[t] += s[t + 8];
      s[t] += s[t + 4];
      s[t] += s[t + 2];
      s[t] += s[t + 1];
    }
    __global__ void sum(const int* x, int* y) {
      __shared__ int s[64];
      s[threadIdx.x] = x[threadIdx.x];
      __syncthreads();
      if (threadIdx.x < 32) last(s, threadIdx.x);
      if (threadIdx.x == 0) *y = s[0];
    }"""
    x, y = torch.arange(64, dtype=torch.int32), torch.zeros(1, dtype=torch.int32)
    m = kernel_lab.compile(text, "sum")
    m[1, 64](x, y, checked=False)
    assert y.item() == 2016
    report = kernel_lab.check(m[1, 64], x, y)
    assert {f.kind for f in report.findings} == {"race"}
    assert "put __syncwarp()" in report.findings[0].sentence


def test_a_warp_that_waits_for_another_lets_it_run():
    text = """
    __global__ void pass(volatile int* flag, int* y) {
      if (threadIdx.x == 0) {
        while (*flag == 0) {
        }
        y[0] = 7;
      }
      if (threadIdx.x == 40) *flag = 1;
    }"""
    zeros = torch.zeros(1, dtype=torch.int32)
    flag, y = zeros.clone(), zeros.clone()
    kernel_lab.compile(text, "pass")[1, 64](flag, y, checked=False, time_limit=5)
    assert y.item() == 7


def test_an_array_of_rows_and_unsigned_elements_are_pointers_too():
    text = """
    #define N 4
    __global__ void k(float (*a)[N], float b[][N], unsigned* y) {
      a[threadIdx.x][1] = b[threadIdx.x][2];
      y[threadIdx.x] = threadIdx.x;
      if (threadIdx.x == 0) printf("%.2f %s\\n", b[0][2], "ok");
    }"""
    a, b, y = torch.zeros(3, 4), torch.randn(3, 4), torch.zeros(3, dtype=torch.int32)
    kernel_lab.compile(text, "k")[1, 3](a, b, y)
    assert torch.equal(a[:, 1], b[:, 2])
    assert y.tolist() == [0, 1, 2]


def test_dynamic_shared_memory_that_was_forgotten_is_explained():
    text = """
    __global__ void k(float* y) {
      extern __shared__ float s[];
      s[threadIdx.x] = 1;
      y[threadIdx.x] = s[threadIdx.x];
    }"""
    y = torch.zeros(8)
    k = kernel_lab.compile(text, "k")
    report = kernel_lab.check(k[1, (4, 2)], y)
    assert str(report).startswith("k[1, (4, 2)]: ")
    assert "s has 0 elements; a launch gives its bytes as NAME[" in str(report)
    k[1, 8, 32](y)
    assert y.sum() == 8


def test_a_large_block_switches_at_many_barriers():
    text = """
    __global__ void k(int* y) {
      for (int round = 0; round < 200; round++) {
        if (threadIdx.x == round) y[0] += 1;
        __syncthreads();
      }
    }"""
    y = torch.zeros(1, dtype=torch.int32)
    begin = time.monotonic()
    kernel_lab.compile(text, "k")[1, 1024](y)
    assert y.item() == 200
    assert time.monotonic() - begin < 5
