/** Processor time of small answers of the ports (Linux), compared with a `node:http` server that does nothing. */
import { smollm2 } from '#test/support/model-files/weights.ts';
import { makeHome, removeHome } from '#test/support/processes/node-home.ts';
import { startShim } from '#test/support/processes/shim.ts';
import { startBareServer } from '../bare-server.ts';
import type { Figure } from '../figure.ts';
import { MODEL } from '../generation.ts';
import { loadHttp } from '../http-load.ts';
import { cpuTime } from '../process-usage.ts';
import { interleaved, median, pairedRatio } from '../statistics.ts';

const PAIRS = 9;
const REQUESTS = 15_000;
const CONNECTIONS = 10;
const PATHS = ['/api/version', '/api/tags'];

export default async function* smallAnswers(): AsyncIterable<Figure> {
  const home = await makeHome([{ name: MODEL, path: await smollm2() }]);
  const shim = await startShim(home);
  const bare = await startBareServer();
  /** Milliseconds of processor time for each request. */
  const cost = (pid: number, url: string) => async () => {
    const before = cpuTime(pid);
    const { requests } = await loadHttp({ url, connections: CONNECTIONS, how: { amount: REQUESTS } });
    return (cpuTime(pid) - before) / requests.total;
  };
  const ofBare = cost(bare.process.pid!, `http://127.0.0.1:${bare.port}/`);
  try {
    for (const path of PATHS) {
      const own = cost(shim.process.pid!, `http://127.0.0.1:${shim.ports['local-models']}${path}`);
      // Warm-up, until frequent code is compiled.
      await own();
      await ofBare();
      const { a, b } = await interleaved(PAIRS, own, ofBare);
      yield { name: `ports: µs of processor time of ${path}`, value: median(a) * 1000 };
      yield { name: `ports: µs of processor time of a bare server`, value: median(b) * 1000 };
      yield {
        name: `ports: times the processor time of a bare server, ${path}`,
        value: pairedRatio(a, b),
        aim: '<= 2',
      };
    }
  } finally {
    bare.stop();
    await shim.stop();
    await removeHome(home);
  }
}
