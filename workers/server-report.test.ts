import { expect, it, vi } from 'vitest';
import { ServerReporter, type ServerReporterParts } from './server-report.ts';

function setUp(changes: Partial<ServerReporterParts> = {}) {
  let time = 0;
  const installed = ['a:latest'];
  const reporter = new ServerReporter({
    registry: {
      list: vi.fn(async () => installed.map((name) => ({ name }) as never)),
      display: (name) => String(name),
    },
    text: { loaded: () => [{ name: 'a:latest' } as never] },
    machine: { cores: 8, memoryTotal: 2 ** 33, gpus: async () => [{ name: 'Apple M3', type: 'webgpu' }] },
    now: () => time,
    ...changes,
  });
  return {
    reporter,
    installed,
    pass: (ms: number) => {
      time += ms;
    },
  };
}
const settled = () => new Promise((resolve) => setTimeout(resolve));

it('reports what is known at once, and the rest with the next report', async () => {
  const { reporter } = setUp();
  reporter.battery = { level: 0.4, charging: true };
  const first = {
    cores: 8,
    memory: 2 ** 33,
    loaded: ['a:latest'],
    battery: { level: 0.4, charging: true },
  };
  expect(reporter.report()).toEqual(first);
  await settled();
  expect(reporter.report()).toEqual({ ...first, device: 'Apple M3', models: ['a:latest'] });
});

it('lists the models again after two seconds, not with each report', async () => {
  const { reporter, installed, pass } = setUp();
  reporter.report();
  await settled();
  installed.push('b:latest');
  pass(1999);
  reporter.report();
  await settled();
  expect(reporter.report().models).toEqual(['a:latest']);
  pass(1);
  reporter.report();
  await settled();
  expect(reporter.report().models).toEqual(['a:latest', 'b:latest']);
});

it('says CPU without a GPU, and survives a list that cannot be read', async () => {
  const broken = { list: () => Promise.reject(new Error('the database is closed')), display: String };
  const machine = { cores: 2, gpus: async () => [] };
  const { reporter } = setUp({ registry: broken as never, machine });
  reporter.report();
  await settled();
  expect(reporter.report()).toEqual({ cores: 2, loaded: ['a:latest'], device: 'CPU' });
});
