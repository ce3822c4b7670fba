// Writes the passed and running tests of a vitest run to a file. A run whose process blocks writes no report
// of its own.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { root } from './run.mjs';

export default class UnfinishedReporter {
  /** Maps the path of a test file to its running test; '' while the file loads. */
  #running = new Map();
  #passed = 0;
  #failed = [];

  onTestModuleQueued(module) {
    this.#enter(module, '');
  }

  onTestCaseReady(test) {
    this.#enter(test.module, test.fullName);
  }

  onTestCaseResult(test) {
    const { state } = test.result();
    if (state === 'passed') this.#passed++;
    if (state === 'failed') this.#failed.push(`${relative(root, test.module.moduleId)} > ${test.fullName}`);
  }

  onTestModuleEnd(module) {
    this.#running.delete(relative(root, module.moduleId));
    this.#write();
  }

  #enter(module, test) {
    this.#running.set(relative(root, module.moduleId), test);
    this.#write();
  }

  #write() {
    const state = { passed: this.#passed, failed: this.#failed, running: [...this.#running] };
    writeFileSync(process.env.TABD_UNFINISHED, JSON.stringify(state));
  }
}
