import { errorText } from '../../lib/errors.ts'

/** Patterns are about names and hashes: what needs more than this is not one. */
const maxLength = 200
const manyTimes = /^(?:[*+]|\{\d+,\d*\}|\{\d{2,}\})/

/**
 * Why a regular expression must not run on text from outside; null when it may. Refused is whatever can take
 * exponential time: a repeated group that itself repeats or chooses, and references back.
 * @example findPatternProblem('(a+)+') // 'the pattern repeats a group that …'
 */
export function findPatternProblem(pattern: string): string | null {
  if (pattern.length > maxLength) return `expected a pattern of at most ${maxLength} characters`
  const refused = refuseSyntax(pattern)
  if (refused !== null) return refused
  if (/\\[1-9k]/.test(pattern)) return 'the pattern refers back to a group, which can take for ever'
  return repeatsInside(pattern)
    ? 'the pattern repeats a group that itself repeats or chooses, which can take for ever'
    : null
}

function refuseSyntax(pattern: string): string | null {
  try {
    RegExp(pattern, 'u')
    return null
  } catch (error) {
    return errorText(error)
  }
}

function repeatsInside(pattern: string): boolean {
  // Escapes and character classes stand for one character each.
  const plain = pattern.replace(/\\(?:u\{[^}]*\}|[pP]\{[^}]*\}|.)/gsu, 'x').replace(/\[[^\]]*\]/gu, 'x')
  const risky: boolean[] = []
  for (let at = 0; at < plain.length; at++) {
    const char = plain[at]
    if (char === '(') risky.push(false)
    else if (char === '|' || manyTimes.test(plain.slice(at))) mark(risky)
    else if (char === ')') {
      const wasRisky = risky.pop() ?? false
      if (wasRisky && manyTimes.test(plain.slice(at + 1))) return true
      if (wasRisky) mark(risky)
    }
  }
  return false
}

function mark(risky: boolean[]): void {
  if (risky.length > 0) risky[risky.length - 1] = true
}
