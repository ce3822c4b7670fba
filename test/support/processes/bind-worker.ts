/** Binds each worker of the contract tables and clients to a core. A setup file of Vitest. */
import { bindToCore } from './one-core.ts';

// A bound process sees one core, so a second call would choose the first one.
if (!process.env.TABD_BOUND) {
  process.env.TABD_BOUND = '1';
  bindToCore(Number(process.env.VITEST_POOL_ID));
}
