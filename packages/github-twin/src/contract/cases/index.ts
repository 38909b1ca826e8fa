import type { Case } from '../client/workbench.js';
import { issueCases } from './issues.js';
import { pullCases } from './pulls.js';
import { readingCases } from './reading.js';
import { reviewCases } from './reviews.js';

export const contractCases: Case[] = [...readingCases, ...issueCases, ...pullCases, ...reviewCases];
