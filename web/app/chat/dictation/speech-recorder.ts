/** Records the microphone. The browser asks for permission first. */
export class SpeechRecorder {
  readonly #pieces: Blob[] = [];

  private constructor(
    private readonly stream: MediaStream,
    private readonly recorder: MediaRecorder,
  ) {
    recorder.ondataavailable = ({ data }) => this.#pieces.push(data);
  }

  /** Whether this browser records on this page. It does not on a page without https. */
  static get isAvailable(): boolean {
    return navigator.mediaDevices?.getUserMedia !== undefined && typeof MediaRecorder === 'function';
  }

  /** Begins to record. Rejects with a DOMException when there is no microphone or no permission. */
  static async start(): Promise<SpeechRecorder> {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    const recorder = new SpeechRecorder(stream, new MediaRecorder(stream));
    recorder.recorder.start();
    return recorder;
  }

  /** Ends the recording. Resolves with it. */
  async stop(): Promise<Blob> {
    const ended = new Promise((resolve) => {
      this.recorder.onstop = resolve;
    });
    if (this.recorder.state !== 'inactive') {
      this.recorder.stop();
      await ended;
    }
    this.cancel();
    return new Blob(this.#pieces, { type: this.recorder.mimeType });
  }

  /** Releases the microphone. */
  cancel(): void {
    for (const track of this.stream.getTracks()) track.stop();
  }
}
