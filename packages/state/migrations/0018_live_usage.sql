DROP INDEX `runtime_events_by_type`;--> statement-breakpoint
CREATE INDEX `runtime_events_by_type` ON `runtime_events` (`event_type`,`created_at`,`turn_key`);--> statement-breakpoint
ALTER TABLE `agent_steps` ADD `usage_json` text;--> statement-breakpoint
CREATE INDEX `feedback_events_answered` ON `feedback_events` (`processed_at`,`skip_reason`,`updated_at`) WHERE "feedback_events"."processed_at" is not null;