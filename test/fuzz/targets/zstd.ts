/** Request bodies that are compressed with Zstandard. */
import { ApiError } from '#core/http';
import { decompressZstd } from '#core/http/requests/zstd.ts';
import { check, fuzzTarget } from '../target.ts';

const MAX_DECOMPRESSED = 20 * 2 ** 20;
const fromHex = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));

export default fuzzTarget({
  invariant: 'at most 20 MiB come out',
  seeds: () => [
    // Written by the command zstd: a raw, a compressed and a run-length block.
    fromHex('28b52ffd240d6900007b226d6f64656c223a2278227d7c43cf74'),
    fromHex('28b52ffd0458450000106161010023ee0839d6b2e9f1'),
    fromHex('28b52ffd0040' + '02001020' + '03001020'),
  ],
  refusals: [ApiError],
  async run(input) {
    check((await decompressZstd(input)).length <= MAX_DECOMPRESSED, 'at most 20 MiB come out');
  },
});
