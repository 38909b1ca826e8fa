CREATE INDEX `issue_runs_by_update` ON `issue_runs` (`updated_at`);--> statement-breakpoint
CREATE INDEX `pull_requests_by_status` ON `pull_requests` (`repo_id`,`status`);--> statement-breakpoint
CREATE INDEX `spend_by_run` ON `spend` (`run_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `feedback_events_by_author` ON `feedback_events` (lower("payload_json" ->> '$.author.login'),`repo_id`,`issue_number`);--> statement-breakpoint
CREATE INDEX `turns_by_run` ON `turns` (`run_id`,`opened_at`);