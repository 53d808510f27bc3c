"""hipport moves CUDA code to AMD GPUs.

    import hipport

    print(hipport.convert(b"cudaFree(p);", "a.cu").data)

docs/python-api.md describes what is offered here: the functions convert, audit, verify and
open_binary, and what they take and return. Each is imported when it is first used (PEP 562).
"""

__version__ = "0.1.0"

# typing takes longer to load than all that is loaded here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from hipport.api import ConvertedText as ConvertedText
    from hipport.api import audit as audit
    from hipport.api import convert as convert
    from hipport.api import open_binary as open_binary
    from hipport.api import verify as verify
    from hipport.errors import HipportError as HipportError
    from hipport.errors import RuleError as RuleError
    from hipport.errors import UsageError as UsageError
    from hipport.fatbin.binary import Binary as Binary
    from hipport.fatbin.binary import Bundle as Bundle
    from hipport.fatbin.binary import BundleEntry as BundleEntry
    from hipport.fatbin.object.code_object import CodeObject as CodeObject
    from hipport.fatbin.object.code_object import Kernel as Kernel
    from hipport.model import Explanation as Explanation
    from hipport.model import FileReport as FileReport
    from hipport.model import Finding as Finding
    from hipport.model import Fix as Fix
    from hipport.model import Position as Position
    from hipport.model import Replacement as Replacement
    from hipport.model import Report as Report
    from hipport.model import Severity as Severity
    from hipport.notebook import load_ipython_extension as load_ipython_extension
    from hipport.runs.audit import Audit as Audit
    from hipport.runs.audit_request import AuditRequest as AuditRequest
    from hipport.runs.convert import Conversion as Conversion
    from hipport.runs.convert_request import ConvertRequest as ConvertRequest
    from hipport.runs.verify import Verification as Verification
    from hipport.runs.verify_request import VerifyRequest as VerifyRequest

_MODULES = {
    "ConvertedText": "hipport.api",
    "audit": "hipport.api",
    "convert": "hipport.api",
    "load_ipython_extension": "hipport.notebook",
    "open_binary": "hipport.api",
    "verify": "hipport.api",
    "HipportError": "hipport.errors",
    "RuleError": "hipport.errors",
    "UsageError": "hipport.errors",
    "CodeObject": "hipport.fatbin.object.code_object",
    "Kernel": "hipport.fatbin.object.code_object",
    "Binary": "hipport.fatbin.binary",
    "Bundle": "hipport.fatbin.binary",
    "BundleEntry": "hipport.fatbin.binary",
    "Explanation": "hipport.model",
    "FileReport": "hipport.model",
    "Finding": "hipport.model",
    "Fix": "hipport.model",
    "Position": "hipport.model",
    "Replacement": "hipport.model",
    "Report": "hipport.model",
    "Severity": "hipport.model",
    "Audit": "hipport.runs.audit",
    "Conversion": "hipport.runs.convert",
    "AuditRequest": "hipport.runs.audit_request",
    "ConvertRequest": "hipport.runs.convert_request",
    "VerifyRequest": "hipport.runs.verify_request",
    "Verification": "hipport.runs.verify",
}
"""What is offered -> the module that has it."""


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found: object = getattr(import_module(_MODULES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
