"""Draws figures: the ratio of each with its spread, and ratios over size.

Needs matplotlib (Debian: python3-matplotlib). Reports an error if it is
missing.
"""


def draw(figures, version, path):
    """Writes a plot of the figures' ratios and limits, on a log scale.

    Figures of arrays of several sizes are also drawn as a line per device.
    """
    try:
        import matplotlib  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        raise RuntimeError(
            "--plot needs matplotlib: python3-matplotlib on Debian, or from "
            "the Python package index.") from error
    matplotlib.use("svg")
    from matplotlib import pyplot  # pylint: disable=import-outside-toplevel

    label = f"ours / upstream ({version})"
    sized = [f for f in figures if f.size]
    heights = [1.2 + 0.27 * len(figures)] + ([4] if sized else [])
    canvas, parts = pyplot.subplots(
        len(heights), figsize=(9, sum(heights)), height_ratios=heights,
        squeeze=False, layout="constrained")
    _draw_rows(parts[0][0], figures)
    parts[0][0].set_xlabel(label)
    if sized:
        _draw_sizes(parts[1][0], sized)
        parts[1][0].set_ylabel(label)
    canvas.savefig(path)


def _draw_rows(axes, figures):
    places = range(len(figures), 0, -1)
    ratios = [f.ratio for f in figures]
    spread = [[max(0, f.ratio - f.low) for f in figures],
              [max(0, f.high - f.ratio) for f in figures]]
    axes.errorbar(ratios, places, xerr=spread, fmt="o", markersize=4,
                  capsize=2, label="ratio, quartiles")
    limits = [(f.limit, y) for f, y in zip(figures, places)
              if f.limit is not None]
    axes.plot([x for x, _ in limits], [y for _, y in limits], "|",
              color="tab:red", markersize=11, label="limit")
    axes.axvline(1, color="gray", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_yticks(list(places), [f.name for f in figures])
    axes.grid(axis="x", which="both", linewidth=0.3)
    axes.legend(loc="lower left")


def _draw_sizes(axes, figures):
    for device in dict.fromkeys(f.device for f in figures):
        line = sorted((f.size / (1 << 20), f.ratio) for f in figures
                      if f.device == device)
        axes.plot([x for x, _ in line], [y for _, y in line], "o-",
                  label=device)
    axes.axhline(1, color="gray", linewidth=0.8)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("MiB of the array")
    axes.grid(which="both", linewidth=0.3)
    axes.legend()
