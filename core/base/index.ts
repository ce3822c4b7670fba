/** Small helpers that every room may use. They import nothing from other rooms. */
export { concatBytes, concatFloats } from './concat.ts';
export { decodePercent } from './decode-percent.ts';
export { Deferred } from './deferred.ts';
export { errorMessage } from './error-message.ts';
export { EventLoopYielder } from './event-loop-yielder.ts';
export { isObject } from './is-object.ts';
export { jsonText } from './json-text.ts';
export { KeyedMutex } from './keyed-mutex.ts';
export { Lazy } from './lazy-value.ts';
export { Mutex } from './mutex.ts';
export { orAborted } from './or-aborted.ts';
export { PendingWrites } from './pending-writes.ts';
export { pythonString } from './python-string.ts';
export { roundHalfEven } from './round-half-even.ts';
export { sleep } from './sleep.ts';
export { runToEnd, runYielding, type Steps, yieldToEventLoop } from './steps.ts';
export { toHex } from './to-hex.ts';
export { OLLAMA_API_VERSION, TABD_VERSION } from './version.ts';
