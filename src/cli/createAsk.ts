import { createInterface, type Interface } from 'node:readline'
import type { Io } from './io.ts'

interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean }
}

/**
 * Questions on a terminal, with a line that can be edited; null where input or output is none. What is typed or pasted
 * ahead answers the questions that come.
 * @param stop what Ctrl-C does: while lines are edited the terminal sends no signal
 */
export function createAsk({ input, output }: Terminal, stop: () => void): Io['ask'] {
  if (!input.isTTY || !output.isTTY) return null
  let opened: { readonly lines: Interface; readonly typed: AsyncIterator<string, unknown> } | null = null
  const open = () => {
    const lines = createInterface({ input, output })
    lines.on('SIGINT', () => {
      stop()
      lines.close()
    })
    return { lines, typed: lines[Symbol.asyncIterator]() }
  }
  return async (question) => {
    opened ??= open()
    opened.lines.setPrompt(question)
    opened.lines.prompt()
    const next = await opened.typed.next()
    return next.done === true ? null : next.value
  }
}
