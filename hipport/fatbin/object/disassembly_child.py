"""Run as a program: disassembles bytes of a file with LLVM's C interface.

Arguments: library, processor, file, offset, size. A library that does not know a processor ends
the process: that is why this is one.
"""

import ctypes
import sys
from pathlib import Path


def main() -> int:
    library, processor, path, offset, size = sys.argv[1:6]
    llvm = ctypes.CDLL(library)
    for part in ("TargetInfo", "Target", "TargetMC", "Disassembler"):
        getattr(llvm, f"LLVMInitializeAMDGPU{part}")()
    create = llvm.LLVMCreateDisasmCPUFeatures
    create.restype = ctypes.c_void_p
    text, pointer = ctypes.c_char_p, ctypes.c_void_p
    create.argtypes = [text, text, text, pointer, ctypes.c_int, pointer, pointer]
    context = create(b"amdgcn-amd-amdhsa", processor.encode(), b"", None, 0, None, None)
    if not context:
        return 1
    step = llvm.LLVMDisasmInstruction
    step.restype = ctypes.c_size_t
    step.argtypes = [
        ctypes.c_void_p,
        ctypes.c_void_p,
        ctypes.c_uint64,
        ctypes.c_uint64,
        ctypes.c_char_p,
        ctypes.c_size_t,
    ]
    data = Path(path).read_bytes()[int(offset) : int(offset) + int(size)]
    code = (ctypes.c_uint8 * len(data)).from_buffer_copy(data)
    line_text = ctypes.create_string_buffer(512)
    at = 0
    while at < len(data):
        length = step(context, ctypes.byref(code, at), len(data) - at, at, line_text, 512)
        line = line_text.value.decode() if length else f"\t.long 0x{data[at : at + 4][::-1].hex()}"
        sys.stdout.write(f"{line:<60} // {at:012X}\n")
        at += length or 4
    return 0


if __name__ == "__main__":
    sys.exit(main())
