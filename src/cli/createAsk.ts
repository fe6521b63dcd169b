import type { Interface } from 'node:readline'
import type { Io } from './io.ts'

/**
 * Questions on a terminal, with a line that can be edited. What is typed or pasted ahead answers the questions that come.
 * @param open opens the terminal: at the first question, so that what asks nothing leaves it alone
 * @param stop what Ctrl-C does: while lines are edited the terminal sends no signal
 */
export function createAsk(open: () => Interface, stop: () => void): NonNullable<Io['ask']> {
  let opened: { readonly lines: Interface; readonly typed: AsyncIterator<string, unknown> } | null = null
  const begin = () => {
    const lines = open()
    lines.on('SIGINT', () => {
      stop()
      lines.close()
    })
    return { lines, typed: lines[Symbol.asyncIterator]() }
  }
  return async (question) => {
    opened ??= begin()
    opened.lines.setPrompt(question)
    opened.lines.prompt()
    const next = await opened.typed.next()
    return next.done === true ? null : next.value
  }
}
