#include "tools/inspect/call_graph.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "base/plain_text.h"

namespace eyrie::tools {
namespace {

constexpr size_t kMaxLayers = 64;

class GraphMaker {
 public:
  GraphMaker(const Report& report, size_t most, bool kernels)
      : report_(report),
        most_(most),
        with_kernels_(kernels),
        functions_(report.names.size()) {}

  CallGraph Create() {
    CountCalls();
    Walk();
    AddEdges();
    PlaceInLayers();
    return std::move(graph_);
  }

 private:
  // The callees of a function: functions, kernels and modules by name.
  struct Callees {
    std::map<uint32_t, uint64_t> functions;
    std::map<std::string, uint64_t> kernels;
    std::map<std::string, uint64_t> modules;
  };

  void CountCalls();
  void Walk();
  // Moves functions to layers after all of their callers, except for recursion.
  void DeepenLayers();
  void AddAfterCallees(uint32_t function, std::set<uint32_t>& seen,
                       std::vector<uint32_t>& order) const;
  // Adds a node, or returns nullopt if the graph is full.
  std::optional<size_t> AddNode(GraphNode node);
  std::optional<size_t> AddFunction(uint32_t function, size_t layer);
  void AddEdges();
  void PlaceInLayers();

  const Report& report_;
  const size_t most_;
  const bool with_kernels_;
  std::vector<Callees> callees_;
  std::vector<std::optional<size_t>> functions_;  // their nodes
  std::map<std::string, size_t> kernels_;
  std::map<std::string, size_t> modules_;
  std::set<uint32_t> exports_;
  std::deque<uint32_t> waiting_;
  CallGraph graph_;
};

void GraphMaker::CountCalls() {
  callees_.resize(report_.names.size());
  for (const CallEdge& call : report_.facts.calls) {
    Callees& callees = callees_[call.caller];
    if (!call.import) {
      callees.functions[call.callee] += call.count;
    } else {
      const auto module = report_.def.imports[call.callee].module_name();
      callees.modules[PlainName(module)] += call.count;
    }
  }
  if (!with_kernels_) return;
  for (const DispatchUse& dispatch : report_.facts.dispatches) {
    const std::string kernel = PlainName(KernelName(report_, dispatch));
    ++callees_[dispatch.place.function].kernels[kernel];
  }
}

std::optional<size_t> GraphMaker::AddNode(GraphNode node) {
  if (graph_.nodes.size() == most_) return std::nullopt;
  graph_.nodes.push_back(std::move(node));
  return graph_.nodes.size() - 1;
}

std::optional<size_t> GraphMaker::AddFunction(uint32_t function, size_t layer) {
  if (functions_[function].has_value()) return functions_[function];
  functions_[function] =
      AddNode({exports_.contains(function) ? GraphNode::Kind::kExport
                                           : GraphNode::Kind::kFunction,
               PlainName(report_.names[function]), function,
               std::min(layer, kMaxLayers), 0});
  if (functions_[function].has_value()) waiting_.push_back(function);
  return functions_[function];
}

void GraphMaker::AddAfterCallees(uint32_t root, std::set<uint32_t>& seen,
                                 std::vector<uint32_t>& order) const {
  using Callee = std::map<uint32_t, uint64_t>::const_iterator;
  std::vector<std::pair<uint32_t, Callee>> stack;
  const auto enter = [&](uint32_t function) {
    if (!functions_[function].has_value() || !seen.insert(function).second) {
      return;
    }
    stack.emplace_back(function, callees_[function].functions.begin());
  };
  enter(root);
  while (!stack.empty()) {
    auto& [function, next] = stack.back();
    if (next == callees_[function].functions.end()) {
      order.push_back(function);
      stack.pop_back();
    } else {
      enter((next++)->first);
    }
  }
}

void GraphMaker::DeepenLayers() {
  std::set<uint32_t> seen;
  std::vector<uint32_t> order;  // callees before their callers
  for (const vm::ExportDef& exported : report_.def.exports) {
    AddAfterCallees(exported.function, seen, order);
  }
  for (uint32_t i = 0; i < functions_.size(); ++i) {
    AddAfterCallees(i, seen, order);
  }
  std::vector<size_t> rank(functions_.size());
  for (size_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  for (size_t i = order.size(); i-- > 0;) {
    const size_t layer = graph_.nodes[*functions_[order[i]]].layer;
    for (const auto& [callee, count] : callees_[order[i]].functions) {
      if (!functions_[callee].has_value() || rank[callee] >= i) continue;
      size_t& deeper = graph_.nodes[*functions_[callee]].layer;
      deeper = std::max(deeper, std::min(layer + 1, kMaxLayers));
    }
  }
}

// Walks breadth first from the exports, then from functions without callers.
void GraphMaker::Walk() {
  for (const vm::ExportDef& exported : report_.def.exports) {
    exports_.insert(exported.function);
  }
  for (const vm::ExportDef& exported : report_.def.exports) {
    AddFunction(exported.function, 0);
  }
  for (uint32_t next = 0; next <= functions_.size(); ++next) {
    while (!waiting_.empty()) {
      const uint32_t function = waiting_.front();
      waiting_.pop_front();
      const size_t layer = graph_.nodes[*functions_[function]].layer;
      for (const auto& [callee, count] : callees_[function].functions) {
        AddFunction(callee, layer + 1);
      }
    }
    if (next < functions_.size()) AddFunction(next, 0);
  }
  DeepenLayers();
  std::set<std::pair<GraphNode::Kind, std::string>> left_out;
  size_t last = 0;
  for (const GraphNode& node : graph_.nodes) last = std::max(last, node.layer);
  const auto add = [&](const std::string& name, GraphNode::Kind kind,
                       size_t layer, std::map<std::string, size_t>& known) {
    if (known.contains(name) || !left_out.insert({kind, name}).second) return;
    const auto node = AddNode({kind, name, 0, layer, 0});
    if (node.has_value()) {
      known[name] = *node;
      left_out.erase({kind, name});
    }
  };
  for (const Callees& callees : callees_) {
    for (const auto& [name, count] : callees.kernels) {
      add(name, GraphNode::Kind::kKernel, last + 1, kernels_);
    }
    for (const auto& [name, count] : callees.modules) {
      add(name, GraphNode::Kind::kModule, last + 2, modules_);
    }
  }
  graph_.left_out = left_out.size() +
                    static_cast<size_t>(std::count(
                        functions_.begin(), functions_.end(), std::nullopt));
}

void GraphMaker::AddEdges() {
  const auto add = [&](size_t from, const auto& counts, const auto& node_of) {
    for (const auto& [callee, count] : counts) {
      const std::optional<size_t> to = node_of(callee);
      if (to.has_value()) graph_.edges.push_back({from, *to, count});
    }
  };
  const auto in = [](const std::map<std::string, size_t>& nodes) {
    return [&nodes](const std::string& name) -> std::optional<size_t> {
      const auto found = nodes.find(name);
      if (found == nodes.end()) return std::nullopt;
      return found->second;
    };
  };
  for (uint32_t i = 0; i < functions_.size(); ++i) {
    if (!functions_[i].has_value()) continue;
    const size_t from = *functions_[i];
    add(from, callees_[i].functions,
        [&](uint32_t callee) { return functions_[callee]; });
    add(from, callees_[i].kernels, in(kernels_));
    add(from, callees_[i].modules, in(modules_));
  }
}

// Orders each layer once by the mean place of its nodes' callers, so that nodes
// are near their callers.
void GraphMaker::PlaceInLayers() {
  std::map<size_t, std::vector<size_t>> layers;
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    layers[graph_.nodes[i].layer].push_back(i);
  }
  std::vector<std::vector<size_t>> callers(graph_.nodes.size());
  for (const GraphEdge& edge : graph_.edges) {
    callers[edge.to].push_back(edge.from);
  }
  for (auto& [layer, nodes] : layers) {
    const auto mean = [&](size_t node) {
      double sum = 0;
      for (const size_t caller : callers[node]) {
        sum += static_cast<double>(graph_.nodes[caller].place);
      }
      return callers[node].empty()
                 ? 0
                 : sum / static_cast<double>(callers[node].size());
    };
    std::map<size_t, double> means;
    for (const size_t node : nodes) means[node] = mean(node);
    std::stable_sort(nodes.begin(), nodes.end(),
                     [&](size_t a, size_t b) { return means[a] < means[b]; });
    for (size_t i = 0; i < nodes.size(); ++i) {
      graph_.nodes[nodes[i]].place = i;
    }
  }
}

}  // namespace

CallGraph CreateCallGraph(const Report& report, size_t most, bool kernels) {
  return GraphMaker(report, most, kernels).Create();
}

}  // namespace eyrie::tools
