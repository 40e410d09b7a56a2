// Places boxes and edges: no box is on an edge that passes its column.
#include "tools/inspect/graph_layout.h"

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace eyrie::tools {
namespace {

// Returns a graph of nodes in these layers, each below the one before it.
CallGraph GraphOf(const std::vector<size_t>& layers,
                  const std::vector<std::pair<size_t, size_t>>& edges) {
  CallGraph graph;
  std::vector<size_t> places(layers.size());
  for (const size_t layer : layers) {
    graph.nodes.push_back({GraphNode::Kind::kFunction, "f", 0, layer,
                           layer < places.size() ? places[layer]++ : 0});
  }
  for (const auto& [from, to] : edges) graph.edges.push_back({from, to, 1});
  return graph;
}

struct Point {
  double x;
  double y;
};

// Returns points on a path of the commands M, C and H.
std::vector<Point> PointsOf(const std::string& path) {
  std::string text = path;
  for (const char* command : {"M", "C", "H"}) {
    for (size_t at = 0; (at = text.find(command, at)) != text.npos; at += 3) {
      text.replace(at, 1, absl::StrCat(" ", command, " "));
    }
  }
  std::istringstream words(text);
  std::vector<Point> points;
  std::string command;
  while (words >> command) {
    Point a = {}, b = {}, end = {};
    if (command == "M") {
      words >> end.x >> end.y;
      points.push_back(end);
      continue;
    }
    const Point begin = points.back();
    if (command == "H") {
      words >> end.x;
      end.y = begin.y;
      a = begin;
      b = end;
    } else {
      words >> a.x >> a.y >> b.x >> b.y >> end.x >> end.y;
    }
    for (int i = 1; i <= 50; ++i) {
      const double t = i / 50.0;
      const double s = 1 - t;
      const auto mix = [&](double p0, double p1, double p2, double p3) {
        return s * s * s * p0 + 3 * s * s * t * p1 + 3 * s * t * t * p2 +
               t * t * t * p3;
      };
      points.push_back(
          {mix(begin.x, a.x, b.x, end.x), mix(begin.y, a.y, b.y, end.y)});
    }
  }
  return points;
}

// Counts points of edges that are within boxes, or outside the picture.
int Hidden(const GraphLayout& layout) {
  int hidden = 0;
  for (const std::string& path : layout.paths) {
    for (const Point& point : PointsOf(path)) {
      hidden += point.x < 0 || point.x > layout.width || point.y < 0 ||
                point.y > layout.height;
      hidden += std::any_of(
          layout.boxes.begin(), layout.boxes.end(), [&](const GraphBox& box) {
            return point.x > box.x && point.x < box.x + box.width &&
                   point.y > box.y && point.y < box.y + kBoxHeight;
          });
    }
  }
  return hidden;
}

TEST(GraphLayout, HidesNoEdge) {
  using Edges = std::vector<std::pair<size_t, size_t>>;
  const struct {
    std::vector<size_t> layers;
    Edges edges;
  } kCases[] = {
      {{}, {}},
      {{0}, {}},
      {{0}, {{0, 0}}},
      {{0, 1}, {{0, 1}, {1, 0}}},
      {{0, 0}, {{0, 1}}},
      // Past one column, and past two.
      {{0, 1, 2}, {{0, 1}, {1, 2}, {0, 2}}},
      {{0, 1, 1, 2, 2, 3}, {{0, 1}, {0, 2}, {1, 3}, {0, 5}, {1, 5}, {5, 0}}},
      // Layers without a node.
      {{0, 7, 64}, {{0, 2}, {0, 1}, {1, 2}}},
  };
  for (const auto& c : kCases) {
    const GraphLayout layout = LayOut(GraphOf(c.layers, c.edges));
    SCOPED_TRACE(&c - kCases);
    EXPECT_EQ(layout.boxes.size(), c.layers.size());
    EXPECT_EQ(layout.paths.size(), c.edges.size());
    EXPECT_EQ(Hidden(layout), 0);
  }
}

// Every function calls every other one.
TEST(GraphLayout, OfManyEdges) {
  std::vector<size_t> layers;
  std::vector<std::pair<size_t, size_t>> edges;
  for (size_t i = 0; i < 24; ++i) {
    layers.push_back(i / 4);
    for (size_t j = 0; j < 24; ++j) edges.emplace_back(i, j);
  }
  EXPECT_EQ(Hidden(LayOut(GraphOf(layers, edges))), 0);
}

}  // namespace
}  // namespace eyrie::tools
