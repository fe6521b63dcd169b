import { kinds } from '../../../src/checks/index.ts'
import { describe, expect, test } from 'vitest'
import { readDoc } from './markdown.ts'

const sections = new Map(
  readDoc('docs/runbooks.md')
    .split(/^## /m)
    .slice(1)
    .map((section) => [/^`([a-z_.]+)`/.exec(section)?.[1] ?? '', section] as const),
)

describe('docs/runbooks.md', () => {
  test('has a runbook for every kind', () => {
    expect([...sections.keys()].sort()).toEqual([...kinds.names].sort())
  })

  test.each(kinds.all)(
    '$kind: what to do, as in messages; what it means, how it is decided, and steps',
    ({ kind, nature, remedy }) => {
      const section = sections.get(kind) ?? ''
      expect(section).toContain(`**What to do:** ${remedy}\n`)
      expect(section).toMatch(new RegExp(`\\*\\*Means\\*\\* \\(${nature}, .{20,}`))
      expect(section).toMatch(/\*\*Decided\.\*\* .{20,}\[Details\]\(rules\.md#\w+\)/)
      expect(section).toMatch(/^1\. .+\n2\. /m)
    },
  )
})

test('what to do is one line that ends as a sentence and fits every channel', () => {
  for (const { kind, remedy } of kinds.all) {
    expect(remedy, kind).toMatch(/^[A-Z].{10,150}\.$/)
  }
})
