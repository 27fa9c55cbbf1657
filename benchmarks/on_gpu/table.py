"""The table of what times.py measured, and whether it is what is wanted."""

from __future__ import annotations

from bundle import NVIDIAS, OURS

WHO = (OURS, *NVIDIAS, "torch", "triton")
OPEN = (0.95, 1.05)  # NVIDIA's time / that of our Tile IR, by the same assembler


def heading() -> str:
    titles = ["work", *WHO, "ours", "ours / nvidia", "ours / copy", "wanted", "reached", "open / nvidia"]
    return "| " + " | ".join(titles) + " |\n|" + " --- |" + " ---: |" * (len(titles) - 1)


def ratios(result: dict, copy: float) -> dict[str, float]:
    """Our speed relative to NVIDIA's tile compiler and to a copy of as many bytes, and that of our front
    end's Tile IR relative to NVIDIA's, as far as known."""
    seconds, found = result["seconds"], {}
    if "ours" in seconds:
        if "nvidia" in seconds:
            found["nvidia"] = seconds["nvidia"] / seconds["ours"]
        if not result.get("flops") and copy > 0:
            found["copy"] = result["bytes"] / seconds["ours"] / copy
    if "open" in seconds and "nvidia" in seconds:
        found["open"] = seconds["nvidia"] / seconds["open"]
    return found


def reached(result: dict, copy: float) -> str:
    """Whether our speed is what is wanted: of NVIDIA's, or for work like a copy of the better of that and 0.9
    of a copy."""
    if not result.get("wanted"):
        return ""
    found = ratios(result, copy)
    wanted = [found["nvidia"] >= result["wanted"]] if "nvidia" in found else []
    if result["like_a_copy"] and "copy" in found:
        wanted.append(found["copy"] >= 0.9 * result["wanted"])
        if "nvidia" not in found and wanted[0]:
            return "of a copy"
    elif "nvidia" not in found:
        return "not known"
    return "yes" if wanted and all(wanted) else "no"


def row(result: dict, copy: float) -> str:
    seconds = result["seconds"]
    cells = [f"{seconds[name] * 1e6:.1f}" if name in seconds else "-" for name in WHO]
    found, ours = ratios(result, copy), seconds.get("ours")
    speed = "-"
    if ours:
        amount, unit = (
            (result["flops"] / 1e12, "TFLOP/s") if result["flops"] else (result["bytes"] / 1e9, "GB/s")
        )
        speed = f"{amount / ours:.0f} {unit}" if amount / ours >= 10 else f"{amount / ours:.2g} {unit}"
    cells += [speed, *(f"{found[name]:.2f}" if name in found else "-" for name in ("nvidia", "copy"))]
    wanted = f"{result['wanted']:g}" if result.get("wanted") else "-"
    by_open = f"{found['open']:.2f}" if "open" in found else "-"
    return "| " + " | ".join([result["title"], *cells, wanted, reached(result, copy), by_open]) + " |"


def configurations(results: list[dict]) -> str:
    lines = []
    for result in results:
        chosen = ", ".join(f"{who}: {label}" for who, label in result.get("configurations", {}).items())
        lines.append(f"{result['title']}: {chosen}")
    return "\n".join(lines)
