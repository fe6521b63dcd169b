import type { Database } from '../store/database.ts'
import { findCrowd } from './crowd.ts'
import type { CaseKey } from './listKeys.ts'
import { joinSpans, type Span, type Stretch } from './spans.ts'
import * as rows from './store/caseMembers.ts'

/** The cases that a key ties an alert to, and how to keep that it did. */
interface Near {
  readonly key: CaseKey
  readonly touched: readonly Pick<Span, 'caseId'>[]
  readonly keep: (caseId: number) => void
}

export function findNear(db: Database, key: CaseKey, own: Stretch & { readonly alertId: number }): Near {
  if (key.least === undefined) {
    const { touched, hull } = findSpan(db, key, own)
    return { key, touched, keep: (caseId) => rows.replaceSpans(db, key.key, touched, { ...hull, caseId }) }
  }
  const { alertId, from } = own
  const crowd = { withinMs: key.gapMs, least: key.least }
  const near = rows.listCrowd(db, key.key, { alertId, from, count: crowd.least - 1 })
  return {
    key,
    touched: findCrowd(near, from, crowd),
    keep: () => rows.saveCrowd(db, { alertId, key: key.key, from }),
  }
}

/** What holds without an end reaches until now. */
function findSpan(db: Database, { key, gapMs, isMoment }: CaseKey, member: Stretch) {
  const own = isMoment ? { from: member.from, until: member.from } : member
  // What is one for ever needs not be open: its span holds all of it.
  const openSince = isMoment || gapMs === Infinity ? null : rows.findOpenSince(db, key)
  const isUnderOpen = openSince !== null && openSince <= own.until + gapMs
  const stretch = isUnderOpen ? { from: Math.min(openSince, own.from), until: own.until } : own
  const reach = gapMs === Infinity ? null : { from: stretch.from - gapMs, until: stretch.until + gapMs }
  return joinSpans(rows.listSpans(db, key, reach), stretch, gapMs)
}
