import { expect, test } from 'vitest';
import { type Device, ModelCorrupt } from '#core/host';
import { DeviceProof, type Provable } from './device-proof.ts';

const right = [-1.2, -0.4, -3.1, -2.2];
const rounded = right.map((value) => value + 0.01);
const wrong = [-14, -9, -12, -17];
const never = new AbortController().signal;
const small = { digest: 'sha256:small', size: 98_000_000 };
const large = { digest: 'sha256:large', size: 40 * 2 ** 30 };

class Model implements Provable {
  disposed = false;
  calls = 0;
  device: Device;
  constructor(
    kind: Device['kind'],
    private readonly logprobs: number[] | Error,
  ) {
    this.device = { kind, name: kind };
  }
  async knownAnswer() {
    this.calls += 1;
    if (this.logprobs instanceof Error) throw this.logprobs;
    return { logprobs: this.logprobs, vocabularySize: 49_152 };
  }
  async dispose() {
    this.disposed = true;
  }
}

function setting(onGpu: number[] | Error, onCpu: number[] | Error = right) {
  const cpu = new Model('cpu', onCpu);
  let started = 0;
  return {
    gpu: new Model('gpu', onGpu),
    cpu,
    startOnCpu: async () => {
      started += 1;
      return cpu;
    },
    started: () => started,
  };
}

test('a GPU that agrees with the CPU is used, and tested once', async () => {
  const proof = new DeviceProof(undefined);
  const { gpu, cpu, startOnCpu, started } = setting(rounded);
  expect(await proof.gpu(gpu, startOnCpu, small, never)).toBe(gpu);
  expect(cpu.disposed).toBe(true);
  expect(gpu.disposed).toBe(false);
  const again = new Model('gpu', rounded);
  expect(await proof.gpu(again, startOnCpu, small, never)).toBe(again);
  expect([started(), again.calls]).toEqual([1, 0]);
});

test.each([
  ['computes wrongly', wrong, 'wrong answer'],
  ['computes no numbers', [Number.NaN, -1, -1, -1], 'wrong answer'],
  ['fails', new Error('device lost'), 'device lost'],
])('a GPU that %s is left for the CPU, with a note', async (_, answer, note) => {
  const { gpu, cpu, startOnCpu } = setting(answer);
  expect(await new DeviceProof(undefined).gpu(gpu, startOnCpu, small, never)).toBe(cpu);
  expect(gpu.disposed).toBe(true);
  expect(cpu.device).toMatchObject({ kind: 'cpu', note: expect.stringContaining(note) });
});

test('a large model is loaded twice only when its answer is implausible', async () => {
  const plausible = setting(right);
  const proof = new DeviceProof(undefined);
  expect(await proof.gpu(plausible.gpu, plausible.startOnCpu, large, never)).toBe(plausible.gpu);
  expect(plausible.started()).toBe(0);
  const untrained = setting(wrong, wrong);
  expect(await new DeviceProof(undefined).gpu(untrained.gpu, untrained.startOnCpu, large, never)).toBe(
    untrained.gpu,
  );
  expect(untrained.started()).toBe(1);
});

test('without memory for a comparison a plausible answer suffices', async () => {
  const { gpu } = setting(right);
  const full = async () => {
    throw new Error('out of memory');
  };
  expect(await new DeviceProof(undefined).gpu(gpu, full, small, never)).toBe(gpu);
  const broken = setting(wrong);
  await expect(new DeviceProof(undefined).gpu(broken.gpu, full, small, never)).rejects.toThrow(
    'out of memory',
  );
  expect(broken.gpu.disposed).toBe(true);
});

test('weights without finite numbers on the CPU are damaged', async () => {
  const cpu = new Model('cpu', [Number.NaN, Number.NaN]);
  await expect(new DeviceProof(undefined).cpu(cpu, small, never)).rejects.toThrow(ModelCorrupt);
  expect(cpu.disposed).toBe(true);
});

test('an abort disposes all models', async () => {
  const { gpu, startOnCpu } = setting(rounded);
  const signal = AbortSignal.abort(new Error('left'));
  await expect(new DeviceProof(undefined).gpu(gpu, startOnCpu, small, signal)).rejects.toThrow('left');
  expect(gpu.disposed).toBe(true);
});
