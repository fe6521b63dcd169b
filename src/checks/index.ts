import type { SharedFacts } from '../kernel/facts.ts'
import type { Detector, JudgedOn } from '../rules/kind.ts'
import { createKinds } from '../rules/kinds.ts'
import { audit } from './audit/check.ts'
import { chains } from './chains/check.ts'
import { challenges } from './challenges/check.ts'
import { contracts } from './contracts/check.ts'
import { escrow } from './escrow/check.ts'
import { evidence } from './evidence/check.ts'
import { flow } from './flow/check.ts'
import { limits } from './limits/check.ts'
import { monitor } from './monitor/check.ts'
import { operators } from './operators/check.ts'
import { preconf } from './preconf/check.ts'
import { probes } from './probes/check.ts'
import { reorg } from './reorg/check.ts'
import { sources } from './sources/check.ts'
import { stages } from './stages/check.ts'
import { transfers } from './transfers/check.ts'

/** All checks, in the order in which their hooks run inside a commit and documents list their kinds. */
export const checks = [
  transfers,
  contracts,
  evidence,
  preconf,
  escrow,
  audit,
  sources,
  chains,
  flow,
  operators,
  limits,
  probes,
  challenges,
  stages,
  monitor,
  reorg,
] as const

type Parts = ReturnType<ReturnType<(typeof checks)[number]['open']>['facts']>
type AllOf<T> = (T extends object ? (one: T) => void : never) extends (one: infer All) => void ? All : never

/** Everything that conditions are judged on, at one moment: what all may look at, and each check's own part. */
export type Facts = SharedFacts & AllOf<Parts>

/** Every kind of finding that a rule can be written on. */
export const kinds = createKinds<Facts>(
  checks.flatMap<Detector & JudgedOn<Facts>>((check) => [...check.kinds]),
)
