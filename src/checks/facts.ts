import type { SharedFacts } from '../kernel/facts.ts'
import type { AuditPart } from './audit/facts.ts'
import type { ChallengesPart } from './challenges/facts.ts'
import type { EscrowPart } from './escrow/holding.ts'
import type { FlowPart } from './flow/facts.ts'
import type { MonitorPart } from './monitor/facts.ts'
import type { OperatorsPart } from './operators/facts.ts'
import type { PreconfPart } from './preconf/facts.ts'

/** Everything that conditions are judged on, at one moment: what all may look at, and each check's own part. */
export type Facts = SharedFacts &
  AuditPart &
  ChallengesPart &
  EscrowPart &
  FlowPart &
  MonitorPart &
  OperatorsPart &
  PreconfPart
