#include "tools/inspect/graph_layout.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/plain_text.h"

namespace eyrie::tools {
namespace {

// In pixels.
constexpr int kCharacter = 8;
constexpr int kRow = 30;
constexpr int kLane = 10;
constexpr int kGap = 60;          // between columns
constexpr int kMargin = 24;       // edges below the boxes turn in it
constexpr size_t kMaxLabel = 48;  // bytes

class LayoutMaker {
 public:
  explicit LayoutMaker(const CallGraph& graph) : graph_(graph) {}

  GraphLayout Make() {
    FindColumns();
    AddItems();
    PlaceItems();
    for (const GraphEdge& edge : graph_.edges) {
      layout_.paths.push_back(PathOf(edge));
    }
    layout_.height += kMargin;
    return std::move(layout_);
  }

 private:
  // A node's box, or a lane to a node.
  struct Item {
    size_t node;
    bool is_lane;
    double sum = 0;  // of the heights of the items before it
    size_t count = 0;
  };
  struct Column {
    int x = 0;
    int width = 0;
    std::vector<Item> items;
    std::map<size_t, size_t> lanes;  // indices of items, by node
  };

  void FindColumns();
  void AddItems();
  void PlaceItems();
  void PlaceColumn(size_t column);
  Item& LaneOf(size_t column, size_t node);
  std::string PathOf(const GraphEdge& edge);
  std::string PathBelow(const GraphBox& from, const GraphBox& to, size_t node);

  const CallGraph& graph_;
  std::vector<Column> columns_;
  std::vector<size_t> column_of_;                    // by node
  std::map<std::pair<size_t, size_t>, int> lane_y_;  // by column and node
  std::map<size_t, int> below_;                      // by node
  GraphLayout layout_;
};

void LayoutMaker::FindColumns() {
  std::map<size_t, size_t> columns;  // by layer
  for (const GraphNode& node : graph_.nodes) columns[node.layer] = 0;
  size_t count = 0;
  for (auto& [layer, column] : columns) column = count++;
  columns_.resize(count);
  for (const GraphNode& node : graph_.nodes) {
    column_of_.push_back(columns[node.layer]);
    int& width = columns_[column_of_.back()].width;
    width =
        std::max(width, static_cast<int>(BoxLabel(node).size()) * kCharacter +
                            2 * kBoxPadding);
  }
  int x = kMargin;
  for (Column& column : columns_) {
    column.x = x;
    x += column.width + kGap;
  }
  layout_.width = x - kGap + kMargin;
}

LayoutMaker::Item& LayoutMaker::LaneOf(size_t column, size_t node) {
  std::vector<Item>& items = columns_[column].items;
  const auto [found, is_new] =
      columns_[column].lanes.try_emplace(node, items.size());
  if (is_new) items.push_back({node, true});
  return items[found->second];
}

void LayoutMaker::AddItems() {
  std::vector<size_t> order;
  for (size_t i = 0; i < graph_.nodes.size(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return graph_.nodes[a].place < graph_.nodes[b].place;
  });
  for (const size_t node : order) {
    columns_[column_of_[node]].items.push_back({node, false});
  }
  for (const GraphEdge& edge : graph_.edges) {
    for (size_t c = column_of_[edge.from] + 1; c < column_of_[edge.to]; ++c) {
      LaneOf(c, edge.to);
    }
  }
  layout_.boxes.resize(graph_.nodes.size());
}

// Places the columns from left to right. Each item is near the mean of the
// items in the column before it that lead to it.
void LayoutMaker::PlaceItems() {
  for (size_t c = 0; c < columns_.size(); ++c) PlaceColumn(c);
}

void LayoutMaker::PlaceColumn(size_t c) {
  Column& column = columns_[c];
  std::map<size_t, size_t> boxes;  // indices of items, by node
  for (size_t i = 0; i < column.items.size(); ++i) {
    if (!column.items[i].is_lane) boxes[column.items[i].node] = i;
  }
  for (const GraphEdge& edge : graph_.edges) {
    if (column_of_[edge.from] >= c || column_of_[edge.to] < c) continue;
    Item& item = column_of_[edge.to] == c ? column.items[boxes[edge.to]]
                                          : LaneOf(c, edge.to);
    const bool is_adjacent = column_of_[edge.from] + 1 == c;
    item.sum +=
        is_adjacent ? layout_.boxes[edge.from].y : lane_y_[{c - 1, edge.to}];
    ++item.count;
  }
  const auto mean = [](const Item& item) {
    return item.count == 0 ? 0 : item.sum / static_cast<double>(item.count);
  };
  std::stable_sort(
      column.items.begin(), column.items.end(),
      [&](const Item& a, const Item& b) { return mean(a) < mean(b); });
  int y = 4;
  for (const Item& item : column.items) {
    if (item.is_lane) {
      lane_y_[{c, item.node}] = y;
    } else {
      layout_.boxes[item.node] = {column.x, y, column.width};
    }
    y += item.is_lane ? kLane : kRow;
  }
  layout_.height = std::max(layout_.height, y);
}

std::string Curve(int x1, int y1, int x2, int y2) {
  const int middle = (x1 + x2) / 2;
  return absl::StrCat(" C", middle, " ", y1, " ", middle, " ", y2, " ", x2, " ",
                      y2);
}

// Turns in the gaps next to the two boxes.
std::string LayoutMaker::PathBelow(const GraphBox& from, const GraphBox& to,
                                   size_t node) {
  const auto [found, is_new] = below_.try_emplace(node, layout_.height);
  if (is_new) layout_.height += kLane;
  const int y = found->second;
  const int x1 = from.x + from.width;
  const int y1 = from.y + kBoxHeight / 2;
  const int y2 = to.y + kBoxHeight / 2;
  return absl::StrCat("M", x1, " ", y1, " C", x1 + kMargin, " ", y1, " ",
                      x1 + kMargin, " ", y, " ", x1, " ", y, " H", to.x, " C",
                      to.x - kMargin, " ", y, " ", to.x - kMargin, " ", y2, " ",
                      to.x, " ", y2);
}

std::string LayoutMaker::PathOf(const GraphEdge& edge) {
  const GraphBox& from = layout_.boxes[edge.from];
  const GraphBox& to = layout_.boxes[edge.to];
  if (column_of_[edge.to] <= column_of_[edge.from]) {
    return PathBelow(from, to, edge.to);
  }
  int x = from.x + from.width;
  int y = from.y + kBoxHeight / 2;
  std::string path = absl::StrCat("M", x, " ", y);
  for (size_t c = column_of_[edge.from] + 1; c < column_of_[edge.to]; ++c) {
    const int lane = lane_y_[{c, edge.to}];
    absl::StrAppend(&path, Curve(x, y, columns_[c].x, lane), " H",
                    columns_[c].x + columns_[c].width);
    x = columns_[c].x + columns_[c].width;
    y = lane;
  }
  return absl::StrCat(path, Curve(x, y, to.x, to.y + kBoxHeight / 2));
}

}  // namespace

std::string BoxLabel(const GraphNode& node) {
  return PlainText(node.name, kMaxLabel);
}

GraphLayout LayOut(const CallGraph& graph) { return LayoutMaker(graph).Make(); }

}  // namespace eyrie::tools
