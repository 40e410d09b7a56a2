"""Draws figures: a point for each ratio, a line for its spread.

Needs matplotlib (Debian: python3-matplotlib). Reports an error if it is
missing.
"""


def draw(figures, version, path):
    """Writes a plot of the figures' ratios and limits, on a log scale."""
    try:
        import matplotlib  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        raise RuntimeError(
            "--plot needs matplotlib: python3-matplotlib on Debian, or from "
            "the Python package index.") from error
    matplotlib.use("svg")
    from matplotlib import pyplot  # pylint: disable=import-outside-toplevel

    canvas, axes = pyplot.subplots(figsize=(9, 1.2 + 0.27 * len(figures)),
                                   layout="constrained")
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
    axes.set_xlabel(f"ours / upstream ({version})")
    axes.grid(axis="x", which="both", linewidth=0.3)
    axes.legend(loc="lower left")
    canvas.savefig(path)
