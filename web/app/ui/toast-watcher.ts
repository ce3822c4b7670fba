import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { toasts } from './toasts.ts';

/** Renders its host again when messages change: its list leaves out what waits for deletion. */
export class ToastWatcher implements ReactiveController {
  readonly #changed: () => void;

  constructor(host: ReactiveControllerHost) {
    this.#changed = () => host.requestUpdate();
    host.addController(this);
  }

  hostConnected(): void {
    toasts.addEventListener('change', this.#changed);
  }

  hostDisconnected(): void {
    toasts.removeEventListener('change', this.#changed);
  }
}
