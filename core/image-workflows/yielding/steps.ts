/** Long computations that yield to the event loop, by the helpers of `core/base`. */
export { runToEnd, runYielding, type Steps, yieldToEventLoop } from '#core/base';
