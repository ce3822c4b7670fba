/** ZIP and gzip files of the node Compression, and the directories of ZIP files. */
import { gzipSync, zipSync } from 'fflate';
import { ModelCorrupt, ModelUnsupported } from '#core/host';
import { readZipDirectory, zipEntryStart } from '#core/image-workflows/models/torch-file/zip-directory.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import { gunzip, isGzip, unzip } from '#core/webhooks/nodes/files/archives.ts';
import { fuzzTarget, rangeReader } from '../target.ts';

const encode = (text: string) => new TextEncoder().encode(text);

export default fuzzTarget({
  invariant: 'memory is bounded by the content, not by the sizes that a file states',
  seeds: () => [
    zipSync({ 'a.txt': encode('hello'), 'b/c': encode('x'.repeat(50)) }),
    zipSync({ __proto__: encode('a'), d: [encode('stored'), { level: 0, comment: 'c' }] }),
    gzipSync(encode('hello hello hello'), { filename: 'x', comment: 'y' } as never),
  ],
  refusals: [NodeError, ModelCorrupt, ModelUnsupported],
  maxMemory: 2 ** 24,
  measured: ['fflate'],
  async run(input) {
    if (isGzip(input)) return void gunzip(input, 0);
    let failure: unknown;
    try {
      unzip(input, 0);
    } catch (error) {
      failure = error;
    }
    if (failure && !(failure instanceof NodeError)) throw failure;
    const read = rangeReader(input);
    for (const entry of (await readZipDirectory(input.length, read)).values())
      await zipEntryStart(entry, input.length, read);
  },
});
