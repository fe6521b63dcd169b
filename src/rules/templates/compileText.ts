import type { Liquid, Template } from 'liquidjs'
import { errorText } from '../../lib/errors.ts'
import { suggest } from '../../lib/nearest.ts'
import type { Compiled, TextProblem } from '../cel/compileExpression.ts'

type Variables = Readonly<Record<string, unknown>>

/** What a text may ask for. */
interface TextNames {
  /** With dots; what begins one is a name too, of a thing that a loop can walk. */
  readonly known: readonly string[]
  /** With every name filled: the text is tried on each when it is loaded. */
  readonly samples: readonly Variables[]
  readonly maxLength: number
}

/** Parses a text, checks the names that it asks for, and tries it. */
export function compileText(
  engine: Liquid,
  names: TextNames,
  text: string,
): Compiled<(variables: Variables) => string> {
  if (text.length > names.maxLength)
    return fail(`expected at most ${names.maxLength} characters, got ${text.length}`, 0)
  let template: Template[]
  try {
    template = engine.parse(text)
  } catch (error) {
    return fail(...describeError(engine, text, error))
  }
  const problem = findUnknownName(engine, names.known, text, template) ?? findUnfilled(names.known, text)
  if (problem) return { ok: false, problem }
  const run = (variables: Variables) => render(engine, template, variables)
  try {
    for (const sample of names.samples) run(sample)
  } catch (error) {
    return fail(...describeError(engine, text, error))
  }
  return { ok: true, run }
}

const tooLong = /template render limit exceeded/

/**
 * The library's limit is time on the wall: on a machine that does something else for as long, a good text meets it too.
 * One that takes so long by itself does so again.
 */
function render(engine: Liquid, template: Template[], variables: Variables): string {
  try {
    return String(engine.renderSync(template, variables))
  } catch (error) {
    if (!tooLong.test(errorText(error))) throw error
    return String(engine.renderSync(template, variables))
  }
}

function findUnknownName(
  engine: Liquid,
  known: readonly string[],
  text: string,
  template: Template[],
): TextProblem | null {
  const { globals } = engine.analyzeSync(template, { partials: false })
  const uses = Object.values(globals).flat()
  for (const { segments, location } of uses) {
    const dynamicAt = segments.findIndex((one) => typeof one !== 'string')
    const name = (dynamicAt === -1 ? segments : segments.slice(0, dynamicAt)).join('.')
    // `labels` and the like as a whole are names too, of things that a loop can walk.
    if (known.some((one) => one === name || one.startsWith(`${name}.`))) continue
    return {
      message: `unknown name \`${name}\`${suggest(name, known)}`,
      offset: toOffset(text, location.row, location.col),
    }
  }
  return null
}

/** `{facts.amount}` or `${facts.amount}`, as other languages write it: it would stand in the message as it is. */
function findUnfilled(known: readonly string[], text: string): TextProblem | null {
  for (const found of text.matchAll(/(?<!\{)\$?\{ *(([a-z]\w*(?:\.\w+)*)(?: *\|[^{}]*)?) *\}(?!\})/gi)) {
    const [written, what = '', name = ''] = found
    if (known.includes(name))
      return { message: `\`${written}\` is not filled in; write \`{{ ${what} }}\``, offset: found.index }
  }
  return null
}

function fail(message: string, offset: number): { readonly ok: false; readonly problem: TextProblem } {
  return { ok: false, problem: { message, offset } }
}

function describeError(engine: Liquid, text: string, error: unknown): [string, number] {
  const { message = String(error), token } = error as {
    message?: string
    token?: { getPosition?: () => [number, number] }
  }
  const [row, column] = token?.getPosition?.() ?? [1, 1]
  const offset = toOffset(text, row, column)
  const filter = /^undefined filter: (\w+)/.exec(message)?.[1]
  if (filter !== undefined) {
    return [`unknown filter \`${filter}\`${suggest(filter, Object.keys(engine.filters))}`, offset]
  }
  // The library appends its own position and file name.
  return [message.replace(/(, file:[^,]*)?, line:\d+, col:\d+$/, ''), offset]
}

function toOffset(text: string, row: number, column: number): number {
  const before = text.split('\n').slice(0, row - 1)
  return before.reduce((sum, line) => sum + line.length + 1, 0) + column - 1
}
