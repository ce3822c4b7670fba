/** Long computations that yield to the event loop, by the helper of `core/base`. */
export { EventLoopYielder } from '#core/base';
