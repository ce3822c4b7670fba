/** Binds each worker of the contract tables and clients to a core. */
import { bindToCore } from '#test/support/processes/one-core.ts';

// The worker's process is shared by no other file, and a bound process has one core: bind it once.
if (!process.env.TABD_BOUND) {
  process.env.TABD_BOUND = '1';
  bindToCore(Number(process.env.VITEST_POOL_ID));
}
