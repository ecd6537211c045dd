"""The table that is printed: a line for each row at each number of threads."""

HEAD = (f"{'work':52s} {'thr':>3s} {'weft':>9s} {'torch':>9s} {'ratio':>6s} {'goal':>5s}       {'weft does':>13s} "
        f"{'of the limit':>12s}")


def in_time(seconds):
    """Seconds with a unit, in four figures at most."""
    if seconds is None:
        return "-"
    for unit, scale in (("us", 1e6), ("ms", 1e3)):
        if seconds * scale < 999.5:
            return f"{seconds * scale:.2f} {unit}" if seconds * scale < 99.95 else f"{seconds * scale:.0f} {unit}"
    return f"{seconds:.2f} s"


def in_unit(value, unit):
    if value is None:
        return "-"
    return in_time(value) if unit == "s" else f"{value / 1e6:.1f} MB"


def verdict(result):
    """met, over, or nothing where there is no goal."""
    if result.get("ratio") is None or result.get("goal") is None:
        return ""
    return "" if result["ratio"] <= result["goal"] else "OVER"


def speed(result, limits):
    """(what weft achieves, what part of the machine's limit that is), as text."""
    limit = limits.get(result.get("threads"), {})
    for key, unit in (("gflops", "GFLOP/s"), ("gbs", "GB/s")):
        if result.get(key):
            share = f"{100 * result[key] / limit[key]:.0f}%" if limit.get(key) else ""
            return f"{result[key]:.1f} {unit}", share
    return "", ""


def line(result, limits):
    """One row's line."""
    start = f"{result['name']:52.52s} {result['threads']:3d}"
    goal = f"{result['goal']:.2f}" if result.get("goal") is not None else "-"
    if result.get("status") and result.get("weft") is None:
        return (f"{start} {'-':>9s} {in_unit(result.get('torch'), result['unit']):>9s} {'-':>6s} {goal:>5s}       "
                f"{result['status']}")
    ratio = f"{result['ratio']:.2f}" if result.get("ratio") is not None else "-"
    does, share = speed(result, limits)
    others = "  ".join(f"{name} {in_unit(seconds, 's')}" for name, seconds in result.get("others", {}).items())
    note = "  ".join(filter(None, (result.get("status"), others)))
    return (f"{start} {in_unit(result['weft'], result['unit']):>9s} {in_unit(result.get('torch'), result['unit']):>9s} "
            f"{ratio:>6s} {goal:>5s} {verdict(result):5s} {does:>13s} {share:>12s}  {note}").rstrip()


def summary(results):
    """How many goals are met, how many are not, and what is not there."""
    with_goal = [r for r in results if r.get("goal") is not None and r.get("ratio") is not None]
    missed = [r for r in with_goal if verdict(r)]
    absent = [r for r in results if r.get("weft") is None]
    return f"{len(with_goal) - len(missed)} goals met, {len(missed)} missed, {len(absent)} rows not there yet"
