import { expect, it } from 'vitest';
import type { Conditioning } from '../../values/conditioning.ts';
import { tensorOf } from '../../values/tensor.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { timingNodes } from './timing.ts';

const prompt = (value: number): Conditioning => [
  { tensor: tensorOf([1, 1, 1], Float32Array.of(value)), options: { region: { strength: value } } },
];
const run = (name: string, values: Record<string, unknown>) =>
  timingNodes
    .find((type) => type.name === name)!
    .run({ positive: prompt(1), negative: prompt(2), ...values }, {} as NodeContext) as Conditioning[];

it('LTXVConditioning sets the frame rate of both prompts, and keeps what is set already', () => {
  const [positive, negative] = run('LTXVConditioning', { frame_rate: 24 });
  expect(positive![0]!.options).toEqual({ region: { strength: 1 }, timing: { frameRate: 24 } });
  expect(negative![0]!.options).toEqual({ region: { strength: 2 }, timing: { frameRate: 24 } });
});

it('ConditioningStableAudio adds its times to those of another node', () => {
  const [positive] = run('LTXVConditioning', { frame_rate: 24 });
  const values = { positive, seconds_start: 3, seconds_total: 47 };
  const [timed, other] = run('ConditioningStableAudio', values);
  expect(timed![0]!.options.timing).toEqual({ frameRate: 24, secondsStart: 3, secondsTotal: 47 });
  expect(other![0]!.options.timing).toEqual({ secondsStart: 3, secondsTotal: 47 });
});
