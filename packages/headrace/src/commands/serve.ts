import {
  defaultSettings,
  type RunningService,
  readServiceFile,
  type ServiceSettings,
  startService,
} from '@headrace/service';
import { problemLines } from '../config/print-problems.ts';
import { CommandError, EXIT } from '../process/exit-code.ts';
import { writeLines } from '../process/output.ts';
import { onStopSignal, type StopSignal } from '../process/stop-signals.ts';
import { terminalWatch } from '../process/terminal-watch.ts';
import { createServiceLog } from '../report/service-log.ts';

/**
 * `headrace serve [SERVICE]`: runs the service until the first signal, then shuts it down. SIGHUP reads the presets again,
 * if the service has a preset directory and the signal is not about a closed terminal.
 */
export async function serve([file]: readonly (string | undefined)[]): Promise<number> {
  const settings = file === undefined ? defaultSettings() : await readSettings(file);
  if (settings === undefined) return EXIT.invalid;
  const logger = createServiceLog(settings.log);
  const hasLostTerminal = terminalWatch();
  let service: RunningService | undefined;
  let readAgain = false;
  const onHangUp = () => {
    if (settings.presets === undefined || hasLostTerminal()) return false;
    // Presets that are loading may already be read.
    if (service === undefined) readAgain = true;
    else void service.reloadPresets();
    return true;
  };
  const stopped = new Promise<StopSignal>((resolve) => onStopSignal(resolve, onHangUp));
  service = await start({ settings, logger });
  if (readAgain) void service.reloadPresets();
  for (const url of service.urls) logger.info(`Headrace serves ${url}`);
  const signal = await stopped;
  logger.info(`${signal}: shutting down; a second SIGINT or SIGTERM ends the service immediately`);
  const { hanging } = await service.close();
  // `process.exit` would wait for the thread that hangs.
  if (hanging) process.kill(process.pid, 'SIGKILL');
  return EXIT.ok;
}

async function readSettings(file: string): Promise<ServiceSettings | undefined> {
  const { settings, problems } = await readServiceFile(file);
  writeLines('stderr', problemLines(problems, file));
  return settings;
}

/**
 * Starts the service. Errors that prevent the start, such as a port in use or a store that cannot be opened, are
 * printed without a stack.
 */
async function start(options: Parameters<typeof startService>[0]): Promise<RunningService> {
  try {
    return await startService(options);
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error));
  }
}
