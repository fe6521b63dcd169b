import { z } from 'zod'
import { defineRaised } from '../../rules/kind.ts'

/** Found by stateWatch.ts; while nothing can be written at all, delivery/distress.ts sends it past the outbox. */
export const monitorStateNotPersisted = defineRaised({
  kind: 'monitor.state_not_persisted',
  docs: 'The state folder cannot be written, its disk is full, or it was removed.',
  remedy: 'Free space or repair the file system of the state folder; a restart now could repeat messages.',
  nature: 'condition',
  raisedBy: 'app',
  sources: [],
  isGuard: true,
  hasTransfer: false,
  subjectNames: [],
  facts: { error: 'string' },
  params: z.strictObject({}),
})
