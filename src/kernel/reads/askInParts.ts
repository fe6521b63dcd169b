import { MonitorError } from '../../lib/errors.ts'

/** How many a question is about that was left without an answer when more were asked about. */
const partSizes = [5, 1]

/**
 * Asks about many at once and, where that is answered with a failure, about parts of them: one that the source stumbles
 * over takes no others along. A source that stumbles over each part fails whatever it is asked.
 * @param putOff what could not be asked
 * @returns the failure of what was put off, if others were answered; undefined when all were
 * @throws the failure when nothing was answered
 */
export async function askInParts<T>(
  items: readonly T[],
  ask: (some: readonly T[]) => Promise<void>,
  putOff: (some: readonly T[]) => void,
): Promise<unknown> {
  if (items.length === 0) return undefined
  let { failed, error } = await tryAll([items], ask)
  let hasAnswers = false
  for (const size of partSizes) {
    if (!isAnswer(error) || failed.every((part) => part.length <= size)) continue
    const parts = failed.flatMap((part) => cut(part, size))
    ;({ failed, error } = await tryAll(parts, ask))
    hasAnswers ||= failed.length < parts.length
    if (!hasAnswers) break
  }
  if (failed.length === 0) return undefined
  putOff(failed.flat())
  if (!hasAnswers || !isAnswer(error)) throw error
  return error
}

/** One question that is answered with a failure holds up no other. @throws the first such failure, once all were asked */
export async function askEach(asks: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = []
  for (const ask of asks) {
    try {
      const failure = await ask()
      if (failure !== undefined) failures.push(failure)
    } catch (error) {
      if (!isAnswer(error)) throw error
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

/** Parts that no answer came about, and why of the last; a source that does not answer is not asked about the rest. */
async function tryAll<T>(
  parts: readonly (readonly T[])[],
  ask: (some: readonly T[]) => Promise<void>,
): Promise<{ readonly failed: readonly (readonly T[])[]; readonly error?: unknown }> {
  const failed: (readonly T[])[] = []
  let failure: { readonly error?: unknown } = {}
  for (const [place, part] of parts.entries()) {
    try {
      await ask(part)
    } catch (error) {
      if (!isAnswer(error)) return { failed: [...failed, ...parts.slice(place)], error }
      failed.push(part)
      failure = { error }
    }
  }
  return { failed, ...failure }
}

/** Whether it was answered, with a failure that may be of what was asked: not that nobody is there, or wants to be asked less. */
export function isAnswer(error: unknown): boolean {
  if (!(error instanceof MonitorError)) return false
  if (error.code === 'source.unreachable')
    return error.details['status'] !== undefined || error.details['rpcCode'] !== undefined
  return ['source.empty', 'source.mismatched', 'source.invalid', 'source.refused'].includes(error.code)
}

function cut<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) =>
    items.slice(n * size, (n + 1) * size),
  )
}
