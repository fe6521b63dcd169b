import { RE2JS, RE2JSSyntaxException } from 're2js'

/** A compiled pattern; both calls take time in proportion to the text, times `size` at worst. */
export interface LinearPattern {
  /** How many instructions it compiled to. */
  readonly size: number
  /** Whether it matches the whole text. */
  readonly fits: (text: string) => boolean
  /** Whether it matches somewhere in the text. */
  readonly isIn: (text: string) => boolean
}

export type ReadPattern =
  | { readonly ok: true; readonly pattern: LinearPattern }
  | { readonly ok: false; readonly problem: string }

const longest = 1_000
/** Folding the case of a wide range takes 13 ms, and 20 characters are enough to ask for one. */
const longestFolded = 200
/** Times 512 characters of text this is 50 ms when everything is ambiguous; 1,000 plain characters fit. */
const largest = 1_010

/** What the dot stands for. Alertmanager's matchers take a line break for any other character; CEL's `matches` does not. */
export type DotOf = 'everything' | 'line'

/**
 * Compiles a pattern in the syntax of RE2, which Prometheus and CEL use: without look-around and references back it
 * can be matched in linear time, whoever wrote it and whatever the text.
 * @example readPattern('0xa.*', 'everything')
 */
export function readPattern(source: string, dot: DotOf): ReadPattern {
  const most = /\(\?[a-zA-Z]*i/.test(source) ? longestFolded : longest
  if (source.length > most) {
    const when = most === longest ? '' : ' that ignores case'
    return refuse(`expected a pattern${when} of at most ${most} characters, got ${source.length}`)
  }
  let compiled: RE2JS
  try {
    compiled = RE2JS.compile(source, dot === 'everything' ? RE2JS.DOTALL : 0)
  } catch (error) {
    return refuse(describe(error, source))
  }
  const size = compiled.programSize()
  if (size > largest) {
    return refuse(
      `the pattern grows to ${size} steps when its repeats are written out, at most ${largest} are taken`,
    )
  }
  return {
    ok: true,
    pattern: { size, fits: (text) => compiled.matches(text), isIn: (text) => compiled.test(text) },
  }
}

function refuse(problem: string): ReadPattern {
  return { ok: false, problem }
}

function describe(error: unknown, source: string): string {
  if (!(error instanceof RE2JSSyntaxException)) return `the pattern cannot be read: ${String(error)}`
  // The library puts the flags before the source.
  const part = (error.getPattern() ?? '').replace(/^\(\?s\)/, '')
  const at = part === '' || part === source ? '' : ` at character ${source.indexOf(part) + 1}`
  const hint = /Perl syntax|escape sequence/.test(error.getDescription())
    ? '; patterns are written as for RE2'
    : ''
  return `${error.getDescription()}${part === '' ? '' : ` \`${part}\``}${at}${hint}`
}
