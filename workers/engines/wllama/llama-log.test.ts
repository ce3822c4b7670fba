import { expect, test, vi } from 'vitest';
import { LlamaLog } from './llama-log.ts';
import { DEVICE_LOST_MARK } from './worker-prelude.ts';

test('errors and the last refusal are kept until they are taken', () => {
  const log = new LlamaLog(() => {});
  log.logger.error('first');
  log.logger.error('second', { type: 'exceed_context_size_error', n_ctx: 256 });
  log.logger.warn();
  expect(log.errors).toEqual(['first', 'second']);
  expect(log.take()).toEqual({
    errors: ['first', 'second'],
    taskError: { type: 'exceed_context_size_error', n_ctx: 256 },
  });
  expect([log.errors, log.taskError]).toEqual([[], {}]);
});

test('at most 50 error lines are kept', () => {
  const log = new LlamaLog(() => {});
  for (let line = 0; line < 60; line++) log.logger.error(`line ${line}`);
  expect(log.errors).toHaveLength(50);
  expect(log.errors.at(-1)).toBe('line 49');
});

test('the loss of the device is reported and is not an error line', () => {
  const onDeviceLost = vi.fn();
  const log = new LlamaLog(onDeviceLost);
  log.logger.error(`${DEVICE_LOST_MARK}destroyed by the test `);
  expect(onDeviceLost).toHaveBeenCalledExactlyOnceWith('destroyed by the test');
  expect(log.errors).toEqual([]);
});

test('memory sizes come from debug lines', () => {
  const log = new LlamaLog(() => {});
  log.logger.debug('load_tensors:   WebGPU model buffer size =    1.00 MiB');
  expect([log.memory.total, log.memory.gpu]).toEqual([2 ** 20, 2 ** 20]);
});
