ALTER TABLE `repositories` DROP COLUMN `active`;--> statement-breakpoint
ALTER TABLE `agent_sessions` DROP COLUMN `last_heartbeat_at`;--> statement-breakpoint
ALTER TABLE `agent_sessions` DROP COLUMN `open_items`;--> statement-breakpoint
ALTER TABLE `agent_sessions` DROP COLUMN `check_statuses`;--> statement-breakpoint
ALTER TABLE `runtime_events` DROP COLUMN `processed_at`;