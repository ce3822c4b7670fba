/** Runs commands of the computer's shell, with the rights of the process. */
export interface ShellCommands {
  /**
   * @param limits the command and its children end when the signal aborts, or when they have written more than `maxBytes`
   * @throws the reason of the signal; Error for too much output
   */
  run(command: string, limits: { signal: AbortSignal; maxBytes: number }): Promise<CommandResult>;
}

/** The output of a command, and its exit code. */
export interface CommandResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}
