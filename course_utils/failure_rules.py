"""What goes wrong when people build extensions, root causes before their echoes.

Used by `explain`. A rule fits a log if one of its patterns is found and none of `unless`
is; the first rule that fits wins, so the order is part of the knowledge. Patterns are
for a family of messages: versions, paths and names of compilers vary.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """One family of failures: `patterns` find it, `cause` and `mend` are for people."""

    topic: str
    patterns: tuple[str, ...]
    cause: str
    mend: str
    unless: tuple[str, ...] = ()
    warns: bool = False  # also believed where it is only a warning, if nothing failed

    def find(self, text: str) -> re.Match[str] | None:
        if any(re.search(p, text, re.I | re.M) for p in self.unless):
            return None
        hits = [m for p in self.patterns if (m := re.search(p, text, re.I | re.M))]
        return min(hits, key=lambda m: m.start()) if hits else None


def _header(names: str) -> tuple[str, ...]:
    """Patterns for a header that is not there, in the words of GCC, clang, nvcc, MSVC
    and a translated GCC."""
    return (
        rf"fatal error: (?:\S*/)?(?:{names}): ",
        rf"(?<![\w/])(?:\S*/)?(?:{names}): No such file",
        rf"'(?:{names})' file not found",
        rf"(?:include|source) file:? ['\"](?:{names})['\"]",
    )


_STD = (  # names of the standard library that came with C++14, 17 or 20
    r"\w+_v|\w+_t|\w+_ordering|optional|nullopt|variant|visit|string_view|any|span|byte|"
    r"apply|clamp|concepts?|ranges|remove_cvref|invoke\w*|bit_cast|source_location|"
    r"conjunction|disjunction|void_t|make_unique|filesystem|same_as|convertible_to"
)
_TORCH = r"(?:3c10|4c10d|2at|5torch|6caffe2)"  # torch's namespaces, mangled
_MANGLED = rf"_?_Z(?:T[A-Z])?(?:N[KR]*)?{_TORCH}"
_UNDEFINED = r"(?:undefined (?:symbol|reference)(?: to)?|symbol not found|unresolved external symbol)\W*"

RULES: tuple[Rule, ...] = (
    # --- the set-up: what is missing, or is not the one that was meant
    Rule(
        "ninja shadowed",
        (r"from ninja import ninja[\s\S]*?No module named '?ninja",),
        "The `ninja` that stands first on PATH is a launcher that belongs to another "
        "Python, and that Python has no ninja.",
        "Put this environment's own `bin` folder first on PATH, or remove the stale "
        "launcher; `ninja --version` must run.",
    ),
    Rule(
        "ninja missing",
        (
            r"No such file or directory: '?ninja",
            r"Ninja is required to load C\+\+ extensions",
            r"ninja: (?:command )?not found",
            r"'ninja', '--version'\]' returned non-zero|(?:denied|not found): '?ninja'?\s*$",
            r"'ninja' is not recognized",
            r"(?:Attempted to use ninja|could not find ninja)",
            r"ninja not being installed|command '?ninja'? (?:is )?not found|No (?:module|program) named '?ninja",
            r"unable to find '?ninja|Could not find.*\bninja\b|CMAKE_MAKE_PROGRAM.*ninja",
        ),
        "torch runs the program `ninja`, and there is none on PATH. That the Python "
        "package is installed is not enough: a notebook or IDE whose environment was "
        "not activated does not see its `bin` folder.",
        "`pip install ninja` into this environment and put the folder of "
        "`sys.executable` first in `os.environ['PATH']`; then restart the kernel, "
        "since torch remembers the failed build.",
        warns=True,
    ),
    Rule(
        "build isolation, another torch",
        (
            r"pip-build-env\S*/overlay[\s\S]*?detected CUDA version",
            r"detected CUDA version[\s\S]*?pip-build-env\S*/overlay",
        ),
        "pip built the extension in an isolated environment with a torch of its own, "
        "which is not the torch you have, and the CUDA versions of that one and of "
        "nvcc differ.",
        "Build against the torch in use: `pip install --no-build-isolation .`, with "
        "torch taken out of `build-system.requires`.",
    ),
    Rule(
        "CUDA mismatch",
        (
            r"detected CUDA version \([\d.]+\)\s*mismatches",
            r"CUDA version[^\n]*\bmismatch(?:es)? the version that was used to compile",
        ),
        "The nvcc that was found belongs to another major release of CUDA than the one "
        "torch was built with. torch's own CUDA is only a runtime; the compiler is "
        "whichever nvcc stands under CUDA_HOME or on PATH.",
        "Install the toolkit whose major number is that of `torch.version.cuda` and "
        "point CUDA_HOME at it, or install the torch for your toolkit. Do not comment "
        "the check out in cpp_extension.py: two CUDA runtimes in one process crash or "
        "compute nonsense.",
        unless=(r"minor version mismatch(?![\s\S]*mismatches)",),
    ),
    Rule(
        "CUDA_HOME with a colon",
        (
            r"(?:^|[\s'\"])(?:-I)?:/[^\s:'\"]*(?:cuda|nvcc)[^\s'\"]*",
            r"(?:^|['\"\s])/[^\s:'\"]+:/?[^\s:'\"]*/bin/nvcc",
            r"CUDA_HOME\s*=\s*'?:|CUDA_HOME\s*=\s*\S*\$CUDA_HOME:",
        ),
        "CUDA_HOME is written like a PATH, with a colon in it. It names one folder.",
        "`export CUDA_HOME=/usr/local/cuda`, without a colon and without the old value.",
    ),
    Rule(
        "CUDA_HOME with quotation marks",
        (
            r"\"'[^'\"\n]*'(?:/bin/nvcc|/include)",
            r"'\\?\"[^'\"\n]*\\?\"(?:/bin/nvcc|/include)",
            r"\"/[^\"\n]*\"/bin/nvcc|'/[^'\n ]*'/bin/nvcc",
        ),
        "The value of CUDA_HOME contains the quotation marks themselves, as `%env` in "
        "a notebook or an .env file keeps them.",
        "Set it without quotation marks: `%env CUDA_HOME=/usr/local/cuda`.",
    ),
    Rule(
        "CUDA_HOME unset",
        (
            r"CUDA_HOME environment variable is not set",
            r"CUDA_HOME does not exist",
            r"CUDA_PATH.*not set",
        ),
        "torch looks for the CUDA toolkit in CUDA_HOME, in CUDA_PATH, beside the `nvcc` "
        "on PATH and in /usr/local/cuda, and found none. A torch built for the CPU "
        "says this even where there is one.",
        "Install the toolkit and set CUDA_HOME to its folder; check that "
        "`torch.version.cuda` is not None.",
    ),
    Rule(
        "nvcc missing",
        (
            r"nvcc'?\"?: (?:command )?not found",
            r"No such file or directory: '?\S*nvcc",
            r"unable to execute '?\S*nvcc|command '\S*nvcc(?:\.exe)?' failed: No such file",
            r"No CMAKE_CUDA_COMPILER could be found",
            r"Failed to find nvcc|Could not find nvcc|'nvcc' is not recognized",
            r"\[WinError 2\][^\n]*nvcc|Cannot find nvcc|nvcc[^\n]*does not exist",
        ),
        "The CUDA compiler nvcc is not where the build looks for it. torch's wheels "
        "bring CUDA's runtime, not its compiler.",
        "Install the CUDA toolkit of `torch.version.cuda` and set CUDA_HOME to it.",
    ),
    Rule(
        "C++ compiler missing",
        (
            r"\['which', '(?:g\+\+|c\+\+|gcc|clang\+\+)'\]",
            r"(?:^|[\s/'\"])(?:g\+\+|c\+\+|gcc|cc|clang\+\+|x86_64-linux-gnu-g\S*)"
            r"['\"]?: (?:command )?not found",
            r"unable to execute '?\"?(?:\S*/)?(?:\S*g\+\+|\S*gcc|c\+\+|cc)\b",
            r"No such file or directory: '?(?:\S*/)?(?:g\+\+|c\+\+|gcc|cc)'",
            r"error trying to exec '?cc1plus|cannot execute '?cc1plus",
            r"No CMAKE_CXX_COMPILER could be found",
            r"failed with error code[^\n]*which g\+\+",
            r"which: no (?:g\+\+|c\+\+|gcc|clang\+\+) in \(",
            r"no C(?:\+\+)? compiler|C\+\+ compiler (?:is )?not found",
            r"Failed to find (?:a )?C(?:\+\+)? compiler|No working C\+\+ compiler",
            r"command '(?:\S*/)?(?:\S*-)?(?:g\+\+|gcc|c\+\+|cc|clang(?:\+\+)?)(?:-\d+)?' failed: No such file",
            r"Compiler: (?:g\+\+|gcc|c\+\+|clang\+\+) is not found",
            r"nvcc fatal\s*: .*(?:host compiler|g\+\+|gcc).*(?:not found|No such file)",
        ),
        "There is no C++ compiler, or only the one for C.",
        "Debian and Ubuntu: `apt install build-essential`. conda: "
        "`conda install gxx_linux-64`. Or set CXX to a compiler that is there.",
    ),
    Rule(
        "MSVC missing",
        (
            r"Microsoft Visual C\+\+ 14\.\d+ or greater is required",
            r"Error checking compiler version for cl",
            r"\['where', 'cl'\]",
            r"'?cl(?:\.exe)?'? is not recognized|Cannot find compiler '?cl",
            r"INFO: Could not find files for the given pattern\(s\)",
            r"Compiler: cl(?:\.exe)? is not found|No such file[^\n]*'cl(?:\.exe)?'",
            r"command 'cl(?:\.exe)?' failed: No such file|Unable to find vcvarsall",
            r"DISTUTILS_USE_SDK is not set|VC environment is activated but",
        ),
        "On Windows the C++ compiler is `cl.exe`, and it is only on PATH in Visual "
        "Studio's own prompt.",
        "Install the Visual Studio Build Tools with the C++ workload and start from "
        "the `x64 Native Tools` prompt, so that `where cl` finds it.",
        warns=True,
    ),
    Rule(
        "MSVC too new",
        (
            r"unsupported Microsoft Visual Studio version",
            r"STL1002|Unexpected compiler version, expected CUDA",
        ),
        "This Visual Studio is newer than the CUDA toolkit knows, even if the message "
        "names its year: the compiler inside has gone on.",
        "Install an older toolset (MSVC v143, 14.3x) and open its prompt with "
        "`vcvarsall.bat x64 -vcvars_ver=14.3x`, or a newer CUDA toolkit.",
    ),
    Rule(
        "host compiler too new",
        (
            r"unsupported GNU version",
            r"gcc versions later than \d+ are not supported",
            r"unsupported clang version",
            r"parameter packs not expanded with '\.\.\.'",
            r"identifier \"(?:_Float(?:16|32|64|128)x?|__builtin_\w+|__bf16)\" is undefined",
            r"mathcalls\.h[^\n]*exception specification is incompatible",
            r"too new (?:host )?compiler|does not support (?:GCC|g\+\+) (?:versions )?(?:later|newer)",
            r"installed version of \S+ \([\d.]+\) is greater than the maximum",
        ),
        "The C++ compiler is newer than this CUDA toolkit supports.",
        "Install the newest one that it does support and build with it: "
        "`CC=gcc-12 CXX=g++-12`, for nvcc also `-ccbin g++-12`. "
        "`-allow-unsupported-compiler` only hides the trouble. A newer CUDA toolkit "
        "helps too, if torch was built for that major release.",
    ),
    Rule(
        "host compiler too old",
        (
            r"installed version of \S+ \([\d.]+\) is less than the minimum",
            r"compiler \([^)\n]*\) may be ABI-incompatible|requires (?:GCC|g\+\+) \d+",
            r"unrecognized command[- ]line option ['\"]?-std=(?:c|gnu)\+\+(?:1[47z]|2[0a])",
            r"invalid value '(?:c|gnu)\+\+(?:17|20)' in '-std",
            r"Value '(?:c|gnu)\+\+(?:17|20)' is not defined for option 'std'",
            r"too old version of (?:GCC|clang)|We need (?:GCC|clang) \d+ or later",
            r"command line option '[/-]std:c\+\+(?:17|20)'",
        ),
        "The C++ compiler (or nvcc, where the message is its own) is too old for this "
        "torch: it does not know the C++ standard that torch's headers need.",
        "Install a newer one and name it: `CC=gcc-12 CXX=g++-12`; for nvcc, a newer "
        "toolkit of the same major release.",
    ),
    Rule(
        "architecture unknown to nvcc",
        (
            r"Unsupported gpu architecture '?(?:compute|sm)_\w+",
            r"Value '?(?:sm|compute)_\w+'? is not defined for option",
            r"Unknown CUDA arch \(|unknown.*CUDA architecture",
            r"Unsupported (?:gpu|CUDA) arch\w*|'?(?:sm|compute)_\d+\w*'? is not (?:a )?(?:recognized|supported|valid)",
        ),
        "nvcc was told to compile for a GPU that this toolkit does not know: either "
        "the toolkit is older than the GPU, or it is newer and has dropped it (CUDA 13 "
        "dropped everything below compute_75).",
        "`nvcc --list-gpu-arch` lists what it knows. Set TORCH_CUDA_ARCH_LIST to that, "
        "take hard-coded `-gencode` flags out of setup.py, or change the toolkit.",
    ),
    Rule(
        "no architecture to compile for",
        (
            r"_get_cuda_arch_flags[\s\S]*?IndexError: list index out of range",
            r"arch_list\[-1\][\s\S]{0,80}?IndexError",
        ),
        "torch asks the GPUs of this machine what to compile for, and there is none.",
        "Set TORCH_CUDA_ARCH_LIST, for example to `8.0;9.0+PTX`.",
    ),
    Rule(
        "no kernel for this GPU",
        (
            r"no kernel image is available",
            r"cudaErrorNoKernelImageForDevice",
            r"invalid device function|cudaErrorInvalidDeviceFunction",
            r"CUDA capability sm_\d+\w* is not compatible with the current PyTorch",
            r"PTX was compiled with an unsupported toolchain|no binary for GPU",
            r"cudaErrorUnsupportedPtxVersion|device kernel image is invalid",
        ),
        "The machine code in the library is for other GPUs than this one. Building and "
        "importing succeed; the first launch fails.",
        "Run a plain operation, `torch.ones(1, device='cuda') + 1`: if that works, "
        "rebuild the extension with your GPU's capability in TORCH_CUDA_ARCH_LIST; if "
        "it fails, install a torch that supports the GPU "
        "(`torch.cuda.get_arch_list()`).",
        warns=True,
    ),
    Rule(
        "driver too old",
        (
            r"NVIDIA driver on your system is too old",
            r"CUDA driver version is insufficient",
            r"cudaErrorInsufficientDriver",
            r"forward compatibility was attempted|Driver/library version mismatch",
        ),
        "The GPU's driver is older than the CUDA that this torch was built with.",
        "Update the driver, or install the torch for the CUDA version that "
        "`nvidia-smi` shows (found version 11040 means CUDA 11.4). In Colab keep the "
        "torch that is installed.",
        warns=True,
    ),
    Rule(
        "no driver",
        (r"Found no NVIDIA driver|no CUDA-capable device is detected",),
        "There is no GPU here, or no driver for it.",
        "In Colab: Runtime, Change runtime type, a GPU. Elsewhere install the driver, "
        "or go on without: no lesson needs a GPU.",
    ),
    # --- headers that are not there
    Rule(
        "Python headers missing",
        (
            *_header(r"(?:Python|pyconfig|patchlevel)\.h"),
            r"\bPython\.h\s?\uff1a|LNK1104[^\n]*python\d+\.lib",
            r"cannot find Python\.h|Python\.h not found",
        ),
        "Python's own C headers are missing; the distribution has them in a package of "
        "their own.",
        "Debian and Ubuntu: `apt install python3.X-dev` for just this Python's X; or "
        "use a Python from conda or uv, which has them.",
    ),
    Rule(
        "CUDA library headers missing",
        _header(
            r"(?:cusparse|cublas|cusolver|curand|cufft|nvrtc|cupti|nvToolsExt|npp|nvjpeg)"
            r"\w*\.h|(?:nvtx3?|thrust|cub|nv|cuda/std|cuco)/\S+"
        ),
        "The toolkit is there only in part: nvcc and the runtime, without the headers "
        "of CUDA's libraries, which ATen's CUDA headers include.",
        "Install the whole toolkit, or its `cuda-libraries-dev` package. Copying the "
        "one header only moves the error to the next.",
    ),
    Rule(
        "cuDNN headers missing",
        _header(r"cudnn\w*\.h"),
        "cuDNN's headers are not installed; torch's wheels bring only its libraries.",
        "Install cuDNN's development package for your CUDA version.",
    ),
    Rule(
        "CUDA headers missing",
        _header(
            r"(?:cuda|cuda_runtime\w*|cuda_fp16|cuda_bf16|cuda_fp8|cuda_device_runtime_api|"
            r"cooperative_groups|device_\w+|driver_types|vector_types|cuComplex|"
            r"math_constants|cuda_cmake_macros|builtin_types)\.h|crt/\w+\.h|"
            r"c10/cuda/impl/\S+|cooperative_groups/\S+"
        ),
        "CUDA's own headers are not on the include path: no toolkit, or CUDA_HOME "
        "points to the wrong folder.",
        "Set CUDA_HOME to the folder that has `include/cuda_runtime.h`. A torch built "
        "for the CPU cannot build a CUDA extension.",
    ),
    Rule(
        "TH headers removed",
        (
            *_header(r"(?:THC?|THCUNN|THNN|THS|THCS)/\S+"),
            r"\b_*(?-i:TH(?:C|NN|[A-Z]))\w*'?\"?[^\n]*(?:was not declared|undeclared|is undefined|"
            r"identifier not found|does not name a type)",
            r"(?:undeclared identifier|unknown type name|identifier) ['\"]_*(?-i:TH[A-Z])\w*",
            r"torch\.utils\.ffi\b",
        ),
        "The code includes the old TH and THC libraries, which torch removed in 1.11.",
        "Use ATen and C10 instead: `c10/cuda/CUDAException.h`, `TORCH_CHECK`, "
        "`C10_CUDA_CHECK`; or find a newer version of the extension.",
    ),
    Rule(
        "torch headers missing",
        _header(r"(?:torch|ATen|c10|caffe2)/\S+\.h(?:pp)?"),
        "torch's headers are not on the include path, or this torch does not have that "
        "one.",
        "Build by `torch.utils.cpp_extension`, which adds the path, or by CMake's "
        "`find_package(Torch)`; check which torch release the code was written for.",
    ),
    Rule(
        "pybind11 headers missing",
        _header(r"pybind11/\S+\.h"),
        "pybind11's headers are not on the include path; torch brings its own copy.",
        "Build by `torch.utils.cpp_extension`, or include <torch/extension.h>.",
    ),
    Rule(
        "crypt.h missing",
        _header(r"crypt\.h"),
        "Python's headers include crypt.h, and this compiler's system folder lacks it.",
        "conda: `conda install libxcrypt`; Debian: `apt install libcrypt-dev`.",
    ),
    Rule(
        "OpenMP missing",
        (
            *_header(r"omp\.h"),
            r"cannot find -l(?:gomp|omp|iomp5)\b|unsupported option '-fopenmp'",
        ),
        "The compiler has no OpenMP.",
        "macOS: `brew install libomp`; Linux: install the compiler's libgomp.",
    ),
    Rule(
        "include without name",
        (r"#include expects \"?FILENAME\"? or <FILENAME>",),
        "The file names behind #include have lost their angle brackets or quotation "
        "marks, as happens to code that was copied from a web page or a PDF.",
        "Put them back: #include <torch/extension.h>. Look for other lost marks too, "
        "in strings and in templates.",
    ),
    # --- the source itself
    Rule(
        "kernel in a .cpp",
        (
            r"'?(?:__global__|__device__|__shared__)'? does not name a type",
            r"unknown type name '?(?:__global__|__device__)",
            r"'(?:__global__|__device__|__shared__|__syncthreads)'[^\n]*(?:not declared|undeclared)",
            r"\b'?(?:blockIdx|threadIdx|blockDim|gridDim)'? (?:undeclared|was not "
            r"declared|is undefined)",
            r"identifier \"(?:blockIdx|threadIdx|blockDim|gridDim)\" is undefined",
            r"(?:undeclared identifier|C2065:) '(?:blockIdx|threadIdx|blockDim|gridDim)",
            r"expected primary-expression before '<' token[\s\S]{0,300}?<<<",
            r"expected expression[^\n]*\n[^\n]*<<<|<<<[^\n]*\n[\s~^|]*[\s\S]{0,80}expected (?:primary-)?expression",
            r"C2059[^\n]*'<'",
        ),
        "A CUDA kernel stands in a .cpp file. The C++ compiler gets that file, and it "
        "knows neither __global__ nor <<<...>>>; only nvcc does, and nvcc gets the .cu "
        "files.",
        "Move the kernel and its launch into a .cu file, list it in `sources` and "
        "declare the launching function in the .cpp.",
    ),
    Rule(
        "C++ standard too low",
        (
            r"C\+\+(\d\d) or later compatible compiler is required",
            r"You need C\+\+\d\d to (?:compile|use)",
            r"no (?:type|member) named '(?:strong_ordering|optional|variant|is_same_v)' "
            r"in namespace 'std'",
            r"'(?:if constexpr|std::optional|std::string_view)'[^\n]*(?:only available "
            r"with|is only)",
            r"only available (?:with|from) '?(?:-std=)?C\+\+(?:17|20)",
            rf"'(?:std::)?(?:{_STD})' is not a member of 'std'",
            rf"'(?:std::)?(?:{_STD})' in namespace 'std' does not name",
            rf"'std::(?:{_STD})'? (?:has not been declared|was not declared|does not name)",
            rf"no (?:template|type|member|function)\w* named '(?:{_STD})' in namespace 'std'",
            rf"namespace \"std\" has no (?:actual )?(?:member|class)[^\n]*\"(?:{_STD})\"",
            r"is a C\+\+(?:17|20) (?:extension|feature)",
            r"(?:error|fatal error)[^\n]*requires (?:at least )?C\+\+(?:17|20)",
        ),
        "The build asks for an older C++ than torch's headers need: C++17 since torch "
        "2.1, C++20 since 2.14.",
        "Take `-std=...` out of the flags: cpp_extension adds the right one. In CMake "
        "set CMAKE_CXX_STANDARD to 20.",
    ),
    Rule(
        "AT_CHECK removed",
        (
            r"\bAT_CHECK\b[^\n]*(?:not declared|undeclared|not found|undefined)",
            r"(?:undeclared identifier|undefined symbol:|unresolved external symbol)\W*\w*AT_CHECK\b",
            r"implicit declaration of function '?AT_CHECK",
        ),
        "The macro AT_CHECK was removed in torch 1.5.",
        "Write TORCH_CHECK; for code that must also build with an older torch, "
        "`#ifndef TORCH_CHECK`, `#define TORCH_CHECK AT_CHECK`, `#endif`.",
    ),
    Rule(
        "AT_ASSERT or AT_ERROR removed",
        (
            r"\bAT_(?:ASSERTM?|ERROR)\b[^\n]*(?:not declared|undeclared|undefined|not found)",
            r"undeclared identifier '?AT_(?:ASSERTM?|ERROR)\b",
        ),
        "This macro of early torch is gone.",
        "Write TORCH_CHECK, or TORCH_INTERNAL_ASSERT for what can never happen.",
    ),
    Rule(
        "Tensor.type() in a dispatch",
        (
            r"DeprecatedTypeProperties\W+(?:to|\"? to)[^\n]*ScalarType",
            r"conversion (?:function )?from [^\n]*DeprecatedTypeProperties",
            r"cannot convert [^\n]*DeprecatedTypeProperties",
            r"DeprecatedTypeProperties[^\n]*(?:has no member|no member named)",
            r"could not convert[^\n]*DeprecatedTypeProperties",
            r"no member named '\w+' in 'at::DeprecatedTypeProperties",
            r"error[^\n]*DeprecatedTypeProperties",
        ),
        "`x.type()` no longer turns into a scalar type.",
        "In AT_DISPATCH_* write `x.scalar_type()`, and `x.is_cuda()` in the place of "
        "`x.type().is_cuda()`.",
    ),
    Rule(
        "data_ptr of long",
        (
            r"data_ptr<long>|data_ptr@[JK_]\w*@|data_ptrI[lmxjy]E|accessor<(?:unsigned )?long",
            r"data_ptr<(?:unsigned )?long(?: long)?>",
        ),
        "`long` is int64_t only on 64-bit Linux; on Windows it has 32 bits, and on "
        "macOS int64_t is `long long`. That instance of data_ptr does not exist.",
        "Write int64_t everywhere.",
    ),
    Rule(
        "data_ptr on another torch",
        (
            r"expected primary-expression before (?:'>' token|'\w+')[\s\S]{0,300}?data(?:_ptr)?<",
            r"data(?:_ptr)?<[\s\S]{0,200}?expected primary-expression before '>' token",
            r"'?(?:class )?at::Tensor(?:Base)?'? has no member (?:named )?['\"]?(?:\w+_)?data(?:_ptr)?",
            r"no member named '(?:\w+_)?data(?:_ptr)?' in 'at::Tensor",
        ),
        "`data_ptr<T>()` does not exist in that torch, so `<` is read as less-than. "
        "This is no kernel launch.",
        "Match the extension's version to that of torch: `data_ptr<T>()` since 1.3, "
        "`data<T>()` before; in a template, `x.template data_ptr<T>()`.",
    ),
    Rule(
        "half operators are ambiguous",
        (
            r"more than one operator \"[^\"]+\" matches these operands",
            r"no operator \"[^\"]+\" matches these operands[\s\S]{0,400}?(?:half|Half|bfloat)",
            r"ambiguous overload for 'operator[^\n]*(?:Half|BFloat16|__half)",
            r"no suitable (?:constructor|(?:user-defined )?conversion)[^\n]*(?:__half|__nv_bfloat16|Half|BFloat16)",
            r"more than one (?:user-defined )?conversion[^\n]*(?:Half|BFloat16|half|bfloat16)",
            r"no (?:instance of overloaded|matching) function[\s\S]{0,300}?(?:c10::(?:Half|BFloat16)|__half|bfloat16)",
            r"(?:use of overloaded operator|operator)[^\n]*ambiguous[^\n]*(?:Half|BFloat16|half)",
        ),
        "For half or bfloat16 the compiler finds several operators that would do, or "
        "none: torch's flags switch CUDA's own half operators off.",
        "Convert by hand: `static_cast<float>(x)` (or scalar_t's opmath type), compute "
        "in float, and convert the result back.",
    ),
    Rule(
        "int or float in a schema",
        (
            r"unsupported (?:integral|floating point|integer) (?:input|return|output)",
            r"You tried to register a kernel with an unsupported",
            r"INVALID TYPE: [^\n]*(?:argument|return|supported)",
            r"INVALID (?:ARGUMENT|RETURN) TYPE",
            r"use `?int64_t`? instead|use `?double`? instead",
        ),
        "The dispatcher knows one integer and one floating type: `int` in a schema is "
        "int64_t in C++, and `float` is double.",
        "Write int64_t and double in the C++ function; leave `int` and `float` in the "
        "schema.",
    ),
    Rule(
        "old binding signature",
        (r"incompatible function arguments[\s\S]*?at::(?:TensorImpl|Type)\b",),
        "The binding takes TensorImpl, a type that pybind11 cannot convert; it was "
        "written for torch before 1.0.",
        "Take torch::Tensor and include <torch/extension.h>.",
    ),
    Rule(
        "schema and function differ",
        (
            r"Inferred operator schema for a C\+\+ kernel function doesn't match",
            r"Mismatch in kernel C\+\+ signatures|schema[^\n]*arguments? (?:count|number)[^\n]*match",
        ),
        "The schema given to `m.def` and the C++ function that implements it do not "
        "have the same arguments or results.",
        "Make them agree: Tensor is at::Tensor, int is int64_t, float is double, int[] "
        "is IntArrayRef, Tensor? is std::optional<Tensor>.",
    ),
    Rule(
        "no kernel for this device",
        (r"Could not run '[^']+' with arguments from the '\w+' backend",),
        "The operator exists, but nothing is registered for the device of these "
        "tensors (a CPU kernel and a CUDA tensor, say), or its library is not loaded.",
        "Register a kernel with TORCH_LIBRARY_IMPL(<namespace>, CUDA, m), or move the "
        "tensors; for fake tensors (Meta) register a fake kernel.",
    ),
    Rule(
        "dtype without kernel",
        (
            r"not implemented for '(?:\w+)'",
            r"expected scalar type \w+ but (?:found|got) \w+",
        ),
        "The kernel has no code for the dtype of this tensor: `data_ptr<float>()` "
        "takes float32 only, and an AT_DISPATCH_* macro takes the dtypes it names.",
        "Convert the tensor (`x.float()`), or dispatch over more dtypes, for example "
        "by AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, ...).",
    ),
    Rule(
        "wrong arguments to a binding",
        (
            r"incompatible function arguments",
            r"incompatible constructor arguments",
            r"Expected a value of type '[^']+' for argument",
            r"is missing value for argument|Unknown keyword argument '\w+' for operator",
            r"expected at most \d+ argument\(s\) but received",
            r"Unable to convert function return value to a Python type",
        ),
        "The arguments are not of the types that the C++ function was bound with; the "
        "message lists both.",
        "Compare them one by one: a missing `.item()`, a None, a list where a tensor "
        "is wanted, or a missing #include <torch/extension.h> for the conversion.",
    ),
    # --- registration and loading
    Rule(
        "operator registered twice",
        (
            r"Only a single TORCH_LIBRARY can be used",
            r"Tried to register an operator[\s\S]*?multiple times",
            r"Tried to register multiple (?:operators|backend fallbacks)",
            r"multiple registrations? (?:of|for) [^\n]*operator",
            r"already (?:registered|has an? )[^\n]*(?:operator|kernel|namespace)",
        ),
        "{registered}",
        "{register_mend}",
    ),
    Rule(
        "no PyInit function",
        (
            r"does not define module export function",
            r"dynamic module does not define (?:init|module)",
            r"unresolved external symbol PyInit_",
        ),
        "Python looks for a function PyInit_<name> in the library and finds none: "
        "either PYBIND11_MODULE has another name than the library, or the library only "
        "registers operators (TORCH_LIBRARY) and is no Python module.",
        "Write PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) and rebuild; a library of "
        "operators is loaded by `torch.ops.load_library(path)` or "
        "`load(..., is_python_module=False)`.",
    ),
    Rule(
        "operator name not found",
        (
            r"No such operator \S+",
            r"_OpNamespace'? '?\S+'? object has no attribute",
            r"Didn't find (?:operator|engine|kernel)",
            r"operator \w+::\w+ does not exist|Could not find schema for \w+::",
            r"Couldn't load custom C\+\+ ops",
            r"module 'torch\._?ops'? has no attribute",
        ),
        "No operator of that name is registered: the library is not loaded, or its "
        "namespace or operator is spelt otherwise in C++ than in Python.",
        "Load the library first, and compare `m.def` and the namespace in "
        "TORCH_LIBRARY with `torch.ops.<namespace>.<name>`.",
    ),
    Rule(
        "CUDA library not found",
        (
            r"lib(?:c10_cuda|torch_cuda\w*)\.so[^\n]*cannot open shared object",
            r"lib(?:cudart|cublas\w*|cudnn\w*|cusparse|nvrtc)\S*\.so\S*[^\n]*cannot open",
        ),
        "A library of torch's CUDA build is not there: torch is the CPU build or of "
        "another CUDA release, or the extension is imported before torch.",
        "`import torch` first. If it persists, compare `torch.version.cuda` with what "
        "the extension was built for, and rebuild or reinstall.",
    ),
    Rule(
        "a DLL is missing",
        (r"DLL load failed", r"\[WinError 126\]|\[WinError 127\]"),
        "Windows found the extension, but not a library that it needs: torch's own, "
        "where torch is not imported first, or those of CUDA or of the compiler.",
        "`import torch` first; then compare the Python, torch and CUDA it was built "
        "for with yours, and install the Visual C++ redistributable.",
    ),
    Rule(
        "torch not imported first",
        (
            r"lib(?:c10|torch|torch_cpu|torch_python|shm)\.so[^\n]*cannot open shared",
            r"Library not loaded: @rpath/lib(?:c10|torch)",
        ),
        "The library needs torch's own libraries, which the system finds only once "
        "torch is loaded.",
        "`import torch` before the extension, at the top of the package; a sorter of "
        "imports may undo it (`# isort: split`).",
    ),
    Rule(
        "C++ library too old at run time",
        (r"(?:GLIBCXX|CXXABI)_[\d.]+'? not found",),
        "The extension was compiled with a newer g++ than the libstdc++ that Python "
        "loads, often conda's own.",
        "conda: `conda install -c conda-forge 'libstdcxx-ng>=13'`, or compile with "
        "conda's own g++ (`gxx_linux-64`).",
    ),
    Rule(
        "C library too old at run time",
        (r"\bGLIBC_[\d.]+'? not found",),
        "The extension was compiled on a newer system than this one.",
        "Rebuild it here, or use a wheel for an older manylinux.",
    ),
    Rule(
        "torch's own libraries do not fit",
        (
            r"undefined symbol: (?:iJIT_\w+|__nvJitLink\w+|nccl[A-Z]\w+)",
            r"lib(?:torch_cpu|torch_cuda|torch|torch_python|c10)\.so[^\n]*: undefined symbol",
            r"nvidia/\w+/lib/\S+: undefined symbol",
        ),
        "Not an extension but torch itself fails to load: it finds another release of "
        "MKL, NCCL or a CUDA library than the one that it came with.",
        "Take LD_LIBRARY_PATH out of the environment and try again; then reinstall "
        "torch with its dependencies (conda with torch before 2.4: `mkl<2024.1`).",
    ),
    Rule(
        "TH symbols removed",
        (r"undefined symbol: (?:_Z\d+)?_*(?-i:TH(?:Cuda|[A-Z]))",),
        "The library calls the old TH or THC library, which torch no longer has.",
        "Use ATen and C10 (TORCH_CHECK and so on), or a newer version of the extension.",
    ),
    Rule(
        "library not linked",
        (
            r"undefined symbol: \S*(?:cublas|cusparse|cusolver|curand|cufft)",
            r"undefined symbol: (?:cuda[A-Z]\w+|__cuda\w+|nvrtc\w+|(?-i:cu[A-Z])\w+)",
            r"undefined reference to [`']?(?:cublas|cusparse|cusolver|curand|cufft|cuda|(?-i:cu[A-Z])|nvrtc|cudnn)\w*",
            r"unresolved external symbol \W*(?:__imp_)?(?:cublas|cusparse|cusolver|curand|cufft|cuda|nvrtc|cudnn)\w*",
            r"symbol not found[^\n]*(?:cublas|cusparse|cusolver|curand|cufft)",
            r"cannot find -l(?:cu\w+|nv\w+|torch\w*|c10\w*)|cannot open (?:input )?file '?(?:cu\w+|nv\w+)\.lib",
        ),
        "The library calls a CUDA library that it was not linked with, or a function "
        "that torch keeps to itself.",
        "Add it: `libraries=['cublas']` or `extra_ldflags=['-lcublas']`; do not use "
        "macros of ATen that call its internal helpers.",
    ),
    Rule(
        "C++11 ABI differs",
        (
            rf"{_UNDEFINED}{_MANGLED}\S*(?:__cxx11|B5cxx11|c105ErrorC\dENS_14SourceLocationE)",
            rf"{_UNDEFINED}{_MANGLED}\S*(?-i:RKSs|[A-Za-z\d_]Ss(?:[A-Z\d_]|$|\W))",
            r"undefined (?:symbol|reference)(?: to)?\W*(?:c10|c10d|at|torch)\S*::[^\n]*"
            r"(?:std::(?:__cxx11::)?(?:basic_)?string|\[abi:cxx11\])",
            r"undefined symbol: \S*(?:__cxx11)\S*(?:3c10|2at|5torch)",
        ),
        "{abi}",
        "Rebuild it against the torch in use by torch.utils.cpp_extension, which sets "
        "the flag as `torch.compiled_with_cxx11_abi()` says; wheels for one release "
        "differ too (2.6 with CUDA 12.4 and 12.6).",
        unless=(r"undefined symbol: \S*parseSchema",),
    ),
    Rule(
        "built for another torch",
        (
            rf"{_UNDEFINED}{_MANGLED}\S*",
            r"undefined symbol:? \W*(?:c10|at|torch|caffe2)(?:d)?::\S*",
            r"undefined symbol: (?:aoti_torch|torch_(?:call|library|get|list|string))\w*",
        ),
        "The library was built against another torch than the one that loads it: that "
        "function does not exist here with just these arguments.",
        "Rebuild with `pip install --no-build-isolation --force-reinstall`, after "
        "deleting build/ and its folder in torch_extensions; an isolated build takes "
        "the newest torch. For a wheel, take the one for your torch release. A build on "
        "the stable ABI would have survived.",
    ),
    Rule(
        "built for another Python",
        (
            r"undefined symbol: _?Py\w+",
            r"Module use of python\d+\.dll conflicts",
            r"compiled (?:for|with) Python [\d.]+[^\n]*(?:but|incompatible)",
            r"Python version mismatch",
            r"No module named[\s\S]*?\.cpython-\d+\S*\.so|not a supported wheel on this platform",
        ),
        "The library was built for another Python.",
        "Rebuild it with the Python that imports it.",
    ),
    Rule(
        "nothing was built",
        (
            r"torch_extensions\S*\.so[^\n]*(?:cannot open|No such file)",
            r"cannot open shared object file[^\n]*torch_extensions",
            r"(?:No module named|cannot open shared)[\s\S]{0,600}?_import_module_from_library",
            r"_import_module_from_library[\s\S]*?(?:No module named|cannot open shared|No such file)",
        ),
        "The library is not there, since its build failed or was never run; so it is "
        "after `ninja -v` in torch's cpp_extension.py has been changed to "
        "`ninja --version`, which builds nothing.",
        "Undo such an edit by reinstalling torch, delete the folder in "
        "torch_extensions and read the first `error:` of a new build.",
    ),
    Rule(
        "undefined symbol",
        (
            r"undefined symbol: \S+",
            r"undefined reference to",
            r"unresolved external",
            r"symbol not found|Undefined symbols for architecture",
        ),
        "A function is declared and called, and no source or library that was linked "
        "defines it.",
        "List all source files in `sources`, compare the declaration with the "
        "definition letter by letter, and add the library that has it.",
    ),
    Rule(
        "defined twice",
        (
            r"multiple definition of",
            r"duplicate symbol",
            r"LNK2005|LNK1169",
            r"multiple rules generate \S+|error: redefinition of '",
        ),
        "One function is defined in two of the files, often because a header defines "
        "what it should only declare, or a .cu and a .cpp have one name.",
        "Mark it `inline`, or leave the declaration in the header and the definition "
        "in one file; give the .cu another name than the .cpp.",
    ),
    # --- pip, setuptools, the machine
    Rule(
        "externally managed Python",
        (r"externally[- ]managed[- ]environment",),
        "This Python belongs to the system, and pip may not install into it.",
        "Make a virtual environment: `python3 -m venv .venv`, and use its pip.",
    ),
    Rule(
        "build isolation, no torch",
        (
            r"(?:build_wheel|Getting requirements to build|get_requires_for_build|"
            r"pip-build-env|build-env|subprocess-exited-with-error)[\s\S]*?No module "
            r"named '?torch",
            r"setup\.py\S*[\s\S]{0,400}?No module named '?torch'?\s",
            r"No module named '?torch'?\s*$",
        ),
        "pip builds in an environment of its own, and torch is not in it.",
        "`pip install --no-build-isolation .`, so that the build uses the torch you "
        "have. Naming torch in `build-system.requires` would fetch another one.",
    ),
    Rule(
        "setuptools too new for this torch",
        (
            r"cannot import name 'packaging' from 'pkg_resources'",
            r"No module named '?pkg_resources",
            r"No module named '?(?:distutils|setuptools)\b",
            r"module '(?:distutils|setuptools)' has no attribute",
            r"cannot import name '\w+' from '(?:pkg_resources|setuptools|distutils)",
        ),
        "torch's build helper imports setuptools; it is missing, or too new for an old "
        "torch (setuptools 70 removed pkg_resources.packaging, which torch before 2.2 "
        "imports).",
        "`pip install 'setuptools<70'` for a torch before 2.2, `pip install setuptools` "
        "where there is none, or upgrade torch.",
    ),
    Rule(
        "out of memory while compiling",
        (
            r"(?:cc1plus|cicc|ptxas|nvcc|cudafe\+\+)\b[^\n]*(?:killed|signal 9)",
            r"(?:internal compiler|fatal) error: Killed|^\S*\s*Killed\s*$",
            r"C1060|C1076|out of heap space|unable to execute command: Killed",
            r"Killed signal terminated program",
            r"virtual memory exhausted|cc1plus: out of memory",
            r"cannot allocate memory(?! in static TLS)|LLVM ERROR: out of memory",
        ),
        "The compiler was killed, in all likelihood because memory ran out: every file "
        "that includes torch/extension.h takes 1.5 GB, and ninja compiles several at "
        "once.",
        "Set MAX_JOBS=1, include fewer headers, or add memory.",
    ),
    Rule(
        "no space left",
        (r"No space left on device|disk quota exceeded",),
        "The disk is full.",
        "Make room, or point TORCH_EXTENSIONS_DIR or TMPDIR to another disk.",
    ),
    Rule(
        "path too long",
        (
            r"File ?name(?: or extension is)? (?:too long|longer)|filename or extension is too long|"
            r"path[^\n]*(?:\b260\b|too long)|WinError 206|LNK1104[^\n]*\\\\?\S{120,}",
        ),
        "A path is longer than the system allows.",
        "Work in a folder with a short path; on Windows allow long paths.",
    ),
    Rule(
        "not permitted",
        (r"Permission ?(?:Error|denied)|Errno 13",),
        "The build writes to a folder that it may not write to.",
        "Set TORCH_EXTENSIONS_DIR to a folder of yours; do not build as root.",
    ),
    Rule(
        "stale lock",
        (
            r"torch_extensions\S*[/\\]lock\b",
            r"\bFileBaton\b|baton\.wait|file_baton",
        ),
        "torch's build helper waits for the file `lock` in the build's folder. A build "
        "that was killed leaves it behind, and the wait has no end and no message.",
        "If nothing is compiling, delete that `lock` file.",
    ),
    Rule(
        "toolkit in pieces",
        (
            r"\b(?:cicc|ptxas|cudafe\+\+|fatbinary|nvlink)['\"]?: (?:command )?not found",
        ),
        "nvcc is there, and the programs that it calls are not: it was copied or linked "
        "out of its toolkit, or only a part of the toolkit is installed.",
        "Install the whole toolkit and call nvcc by its own folder (CUDA_HOME).",
    ),
    Rule(
        "CMake does not find torch",
        (r"FindTorch\.cmake|TorchConfig\.cmake|Could not find a package[^\n]*Torch",),
        "CMake does not know where torch's CMake files are.",
        "`cmake -DCMAKE_PREFIX_PATH=$(python -c 'import torch; "
        "print(torch.utils.cmake_prefix_path)') ..`",
    ),
    Rule(
        "the package's compiled part is missing",
        (
            r"No module named '[\w.]+\._C\w*'",
            r"cannot import name '_C\w*' from",
        ),
        "The package is there and its compiled part is not: it was not built, was built "
        "for another Python, or Python imports the source folder that you stand in "
        "instead of the installed package.",
        "Build it (`pip install --no-build-isolation .`) and run Python from another "
        "folder.",
    ),
    Rule(
        "bound type registered twice",
        (r"generic_type: type [^\n]* is already registered",),
        "Two modules in this process bind the same C++ type to Python by pybind11, "
        "often an old and a new build of one extension.",
        "Restart the kernel after a rebuild, or bind it with py::module_local().",
    ),
    Rule(
        "c10::optional removed",
        (
            r"\b(?:c10|torch)::(?:optional|nullopt|variant|string_view)\b[^\n]*(?:not|no)",
            r"'(?:optional|nullopt|variant|string_view)' is not a member of '(?:c10|torch|at)",
        ),
        "torch once had its own optional and string_view, and dropped them for those of "
        "the standard library.",
        "Write std::optional, std::nullopt, std::variant and std::string_view.",
    ),
    Rule(
        "deprecated Tensor.data()",
        (r"Tensor\.data<T>\(\) is deprecated", r"data<\w+>\(\)[^\n]*deprecated"),
        "`x.data<T>()` is deprecated, and -Werror makes an error of it.",
        "Write `x.data_ptr<T>()`, or const_data_ptr and mutable_data_ptr.",
    ),
    Rule(
        "CUDA driver library missing",
        (r"libcuda\.so\S*[^\n]*cannot open|nvcuda\.dll|cannot find -lcuda\b",),
        "libcuda belongs to the GPU's driver, not to the toolkit, and is not here: no "
        "driver, or a container started without access to the GPU.",
        "Install the driver, start the container with `--gpus all`, and for linking "
        "only use the toolkit's `lib64/stubs`.",
    ),
    Rule(
        "wrong file for this machine",
        (
            r"invalid ELF header|Exec format error|file too short|wrong architecture|"
            r"incompatible architecture|is not a valid Win32 application",
        ),
        "The library is damaged, half written, or made for another kind of machine.",
        "Delete it and build it here.",
    ),
    Rule(
        "compiler broke",
        (
            r"internal compiler error",
            r"nvcc error\s*: '[\w+]+' died",
            r"(?:cc1plus|cicc|ptxas|cl)\b[^\n]*(?:Segmentation fault|signal 11)",
        ),
        "The compiler itself broke on this source.",
        "Try another release of it, or simplify the line that it names.",
    ),
    Rule(
        "Python headers missing",
        (r"CppCompileError[\s\S]*?-I\S*/include/python3\.\d+",),
        "torch.compile's generated C++ did not compile. Where the include path is the "
        "system's Python, its headers are what is usually missing.",
        "`apt install python3.X-dev`; then read the first `error:` of the output.",
        unless=(r"\berror: ",),
    ),
)
