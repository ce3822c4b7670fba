/** ONNX graphs: the outline, external data and plain protobuf messages. */
import { ModelCorrupt, ModelUnsupported } from '#core/host';
import { readFields } from '#core/image-workflows/text/protobuf-fields.ts';
import { encodeProtobuf, type ProtobufField, protobufMessage, readOnnxOutline } from '#core/tensors';
import { readExternalTensors } from '#core/tensors/onnx-file/external-data.ts';
import { fuzzTarget, rangeReader } from '../target.ts';

const message = (...fields: ProtobufField[]) => protobufMessage(...fields);

export default fuzzTarget({
  invariant: 'reads stay inside the file; deep graphs are refused or read',
  seeds() {
    const external = message(
      [1, 2],
      [2, 1],
      [8, 'w'],
      [13, message([1, 'location'], [2, 'w.bin'])],
      [13, message([1, 'offset'], [2, '0'])],
      [13, message([1, 'length'], [2, '8'])],
      [14, 1],
    );
    const subgraph = message([1, 'body'], [6, message([5, external])]);
    const node = message([1, 'x'], [1, 'w'], [2, 'y'], [3, 'n'], [4, 'Add'], [5, subgraph]);
    const graph = message([1, node], [5, external], [11, message([1, 'x'])], [12, message([1, 'y'])]);
    return [encodeProtobuf(message([1, 8], [8, message([2, 17])], [7, graph]))];
  },
  refusals: [ModelCorrupt, ModelUnsupported],
  maxBytes: 1 << 15,
  async run(input) {
    try {
      for (const { number } of readFields(input)) void number;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
    const read = rangeReader(input);
    await readExternalTensors(input.length, read);
    await readOnnxOutline(input.length, read);
  },
});
