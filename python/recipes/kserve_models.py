"""Serves models by the Open Inference Protocol v2, over HTTP and gRPC.

  kserve_models.py digits=digits.vmfb gcd=loops.vmfb#gcd --deadline=0.5

Needs kserve and eyrie. The options of KServe's server are accepted, too.
Tested by serving_test.py.
"""

import argparse
import asyncio

import kserve
import numpy as np
from fastapi.responses import JSONResponse
from grpc import StatusCode
from grpc_interceptor.exceptions import GrpcException
from kserve.utils.numpy_codec import from_np_dtype, to_np_dtype
from prometheus_client import Counter, Summary

import batches
import eyrie

CALLS = Counter("eyrie_calls", "Requests", ["model_name", "code"])
ROWS = Summary("eyrie_batch_rows", "Rows of a batch", ["model_name"])
HTTP = {"INVALID_ARGUMENT": 400, "OUT_OF_RANGE": 400, "DEADLINE_EXCEEDED": 504}


@kserve.model_server.app.exception_handler(GrpcException)
async def answer(_, error):
    return JSONResponse({"error": error.details},
                        HTTP.get(error.status_string, 500))


def tensor(value, batched):
    """Describes an input or output as the protocol does."""
    if value.type == "bytes":
        return {"name": value.name, "datatype": "BYTES", "shape": [1]}
    if value.shape is None or not np.can_cast(value.dtype or complex, float):
        raise SystemExit(f"KServe cannot carry '{value.name}' ({value.type}).")
    # KServe has no BF16, FP8 and INT4. FP32 carries them without loss.
    shape = [-1 if size is None else size for size in value.shape]
    shape[:batched] = [-1] * batched
    name = from_np_dtype(value.dtype) or "FP32"
    return {"name": value.name, "datatype": name, "shape": shape}


class Served(kserve.Model):
    """A function of a module."""

    def __init__(self, name, path, options):
        super().__init__(name or path)
        self.path, self.options = path, options
        self.load()
        size, self.run = options.batch, self.call
        ins, outs = self.function.inputs, self.function.outputs
        rows = {value.shape[0] if value.shape else -1 for value in ins + outs}
        batched = bool(size > 1 and ins and rows in ({None}, {size}))
        if batched:
            self.run = batches.Batches(self.call, size, options.batch_wait,
                                       size in rows, ROWS.labels(name).observe)
        elif size > 1:
            print(f"No batches of {self.function.signature}: its first "
                  f"dimensions are not all dynamic or all {size}.", flush=True)
        self.inputs = [tensor(value, batched) for value in ins]
        self.outputs = [tensor(value, batched) for value in outs]
        self.get_input_types = lambda: self.inputs
        self.get_output_types = lambda: self.outputs

    def load(self):
        path, _, name = self.path.partition("#")
        model = eyrie.load(path, self.options.device, allow_loss=True,
                           isolate=self.options.isolate)
        if not name and len(model.functions) != 1:
            raise SystemExit(f"'{path}' has the functions {model.functions}; "
                             f"choose one, as 'NAME={path}#FUNCTION'.")
        self.function = model[name or model.functions[0]]
        return super().load()

    async def predict(self, payload, headers=None, response_headers=None):
        code = "CANCELLED"
        try:
            response, code = await self.respond(payload), "OK"
            return response
        except (eyrie.Error, OverflowError, TypeError, ValueError) as error:
            code, text = getattr(error, "code", "INVALID_ARGUMENT"), str(error)
        except asyncio.TimeoutError:
            code = "DEADLINE_EXCEEDED"
            text = f"The call did not end within {self.options.deadline} s."
        finally:
            CALLS.labels(self.name, code).inc()
        raise GrpcException(text, StatusCode[code])

    async def respond(self, request):
        if not isinstance(request, kserve.InferRequest):
            raise ValueError("Only /v2 is served, not the protocol v1.")
        given = {value.name: value.datatype for value in request.inputs}
        expected = {want["name"]: want["datatype"] for want in self.inputs}
        if given != expected:
            raise ValueError(f"The inputs are {given}; expected {expected}.")
        arrays = {value.name: value.as_numpy() for value in request.inputs}
        results = await self.run([
            arrays[name].item() if expected[name] == "BYTES" else arrays[name]
            for name in expected])
        binary, asked = request.use_binary_outputs, request.request_outputs
        outputs = []
        for want, result in zip(self.outputs, results):
            if not asked or want["name"] in [value.name for value in asked]:
                array = np.asarray(result, to_np_dtype(want["datatype"]))
                array = array.reshape(array.shape or want["shape"])
                outputs.append(kserve.InferOutput(
                    want["name"], list(array.shape), want["datatype"], array))
                if request.from_grpc:
                    outputs[-1].set_data_from_numpy(array, binary)
        return kserve.InferResponse(
            request.id or "", self.name, outputs, use_binary_outputs=binary,
            requested_outputs=asked)

    async def call(self, arrays):
        """Calls the function. Loads it again if its isolated worker ended."""
        for retry in (self.options.isolate, False):
            try:
                results = await asyncio.wait_for(
                    self.function.aio(*arrays), self.options.deadline)
                return results if isinstance(results, tuple) else (results,)
            except eyrie.Error as error:
                if error.code != "FAILED_PRECONDITION" or not retry:
                    raise
                self.load()


def main():
    parser = argparse.ArgumentParser(parents=[kserve.model_server.parser])
    add = parser.add_argument
    add("models", nargs="+", metavar="[NAME=]PATH[#FUNCTION]")
    add("--device", default="local-sync", help="such as local-task or vulkan")
    add("--isolate", action="store_true", help="run kernels in other processes")
    add("--deadline", type=float, help="seconds that a call may take")
    add("--batch", type=int, default=1, help="rows that a call may have")
    add("--batch_wait", type=float, default=0.002, help="seconds for a batch")
    options = parser.parse_args()
    try:
        models = [Served(*model.rpartition("=")[::2], options)
                  for model in options.models]
    except (eyrie.Error, OSError) as error:
        parser.error(str(error))
    kserve.ModelServer().start(models)


if __name__ == "__main__":
    main()
