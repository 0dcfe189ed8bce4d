# `python3 convert.py NAME PEERS FILES`: as convert.ts, for the converters in Python.
import json, os, resource, sys, time

name, peers, files = sys.argv[1:4]
sys.path.insert(0, os.path.join(peers, "python"))
real = os.dup(1)
os.dup2(2, 1)

if name == "pymupdf4llm":
    import pymupdf4llm

    def convert(path):
        return pymupdf4llm.to_markdown(path, show_progress=False)

elif name == "markitdown":
    from markitdown import MarkItDown

    reader = MarkItDown()

    def convert(path):
        return reader.convert(path).text_content


def memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


idle = memory()
results = []
for file in sorted(os.listdir(files)):
    start = time.process_time()
    result = {}
    try:
        result["markdown"] = convert(os.path.join(files, file))
    except Exception:
        pass
    result["ms"] = (time.process_time() - start) * 1000
    results.append(result)
os.write(real, json.dumps({"results": results, "idle": idle, "most": memory()}).encode())
