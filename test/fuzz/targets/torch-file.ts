/** Files of torch.save: pickles in archives and in the older layout. */
import { ModelCorrupt, ModelUnsupported } from '#core/host';
import { readTorchTable } from '#core/image-workflows/models/torch-file/read-torch-file.ts';
import { unpickle } from '#core/image-workflows/models/torch-file/unpickle.ts';
import {
  call,
  dictionary,
  integer,
  legacyFile,
  pickleOf,
  tensor,
  text,
  torchArchive,
  tuple,
} from '#test/support/model-files/torch-files.ts';
import { check, fuzzTarget, rangeReader } from '../target.ts';

export default fuzzTarget({
  invariant: 'tensors lie inside the file, and nothing is called',
  seeds: () => [
    torchArchive(dictionary({ a: tensor(), b: tensor({ offset: 1, shape: [1] }) })),
    legacyFile(dictionary({ a: tensor() })),
    pickleOf(tuple(text('x'), integer(2 ** 40), dictionary({ y: call('collections.OrderedDict') }))),
  ],
  refusals: [ModelCorrupt, ModelUnsupported],
  async run(input) {
    let failure: unknown;
    const environment = {
      call: (_name: string, args: readonly unknown[]) => args,
      persistent: (id: unknown) => id,
    };
    try {
      const { end } = unpickle(input, environment);
      check(end <= input.length, 'the pickle ends inside the file');
    } catch (error) {
      failure = error;
    }
    if (failure && !(failure instanceof ModelCorrupt || failure instanceof ModelUnsupported)) throw failure;
    for (const { name, start, end } of await readTorchTable(input.length, rangeReader(input)))
      check(start >= 0 && start <= end && end <= input.length, 'tensors lie inside the file', name);
  },
});
