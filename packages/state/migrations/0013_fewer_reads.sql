ALTER TABLE `feeds` ADD `recorded_up_to` text;--> statement-breakpoint
ALTER TABLE `pull_watch` DROP COLUMN `checks_updated_at`;--> statement-breakpoint
ALTER TABLE `repo_watch` DROP COLUMN `reviews_swept_pr`;