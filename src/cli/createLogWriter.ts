import type { Io } from './io.ts'

/**
 * Where log lines go: as JSON into a pipe or a file, for whoever collects them; on a terminal one readable line each, with
 * the fields behind the message. What makes them readable is loaded on a terminal alone.
 */
export async function createLogWriter(io: Pick<Io, 'err' | 'errScreen'>): Promise<(line: string) => void> {
  const { errScreen } = io
  if (!errScreen?.isTerminal) return io.err
  const { prettyFactory } = await import('pino-pretty')
  const toText = prettyFactory({
    colorize: errScreen.hasColor,
    translateTime: 'UTC:HH:MM:ss.l',
    singleLine: true,
    ignore: 'pid,hostname',
    // One line each: ours are texts, and texts are fields like others.
    errorLikeObjectKeys: ['err'],
  })
  return (line) => io.err(toText(line))
}
